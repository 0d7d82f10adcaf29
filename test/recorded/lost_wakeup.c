/* A waiter looks at the flag outside the lock: the signal may come in between and be lost. Here it
 * comes when the waiter has given up: a wait that it had ended would have begun before it.
 * race: look set */
#include <sched.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;
static volatile int has_given_up;

__attribute__((noinline, no_sanitize("thread"))) static void give_up(void)
{
    has_given_up = 1;
}

__attribute__((noinline, no_sanitize("thread"))) static void wait_until_it_gives_up(void)
{
    while (!has_given_up) {
        sched_yield();
    }
}

static void *wait_for_it(void *unused)
{
    const int seen = is_ready; /* look */
    pthread_mutex_lock(&lock);
    const struct timespec past = {.tv_sec = 1};
    if (!seen) {
        pthread_cond_timedwait(&ready, &lock, &past);
    }
    pthread_mutex_unlock(&lock);
    give_up();
    return unused;
}

static void *tell(void *unused)
{
    wait_until_it_gives_up();
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
