/* The predicate of a condition variable is set before the lock is taken.
 *
 * race: is_ready write read */
#include <stdbool.h>

#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_ready;

static void *waiter(void *unused)
{
    MUST(pthread_mutex_lock(&lock) == 0);
    while (!is_ready) { /* read */
        MUST(pthread_cond_wait(&changed, &lock) == 0);
    }
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

static void *setter(void *unused)
{
    is_ready = true; /* write */
    MUST(pthread_mutex_lock(&lock) == 0);
    MUST(pthread_cond_signal(&changed) == 0);
    MUST(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    threads_run(waiter, setter);
    return 0;
}
