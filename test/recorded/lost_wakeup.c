/* A waiter looks at the flag outside the lock: the signal may come in between and be lost.
 * race: look set */
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *wait_for_it(void *unused)
{
    const int seen = is_ready; /* look */
    pthread_mutex_lock(&lock);
    const struct timespec past = {.tv_sec = 1};
    if (!seen) {
        pthread_cond_timedwait(&ready, &lock, &past);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *tell(void *unused)
{
    pthread_mutex_lock(&lock);
    is_ready = 1; /* set */
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_both(wait_for_it, tell);
    return 0;
}
