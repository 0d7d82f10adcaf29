/* One waits until the other is ready. It looks before it takes the lock: when the signal comes
 * between the look and the wait, nobody hears it. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool is_ready;

static void *wait_for_it(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (!atomic_load(&is_ready)) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
#else
    if (!atomic_load(&is_ready)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
    return unused;
}

static void *make_ready(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_ready, true);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(wait_for_it, make_ready);
    return 0;
}
