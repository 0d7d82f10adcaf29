/* A lock that is not acquired in time is not acquired.
 *
 * expect: 3 lock m
 * expect: 2 lock m mode=try-mutex
 * expect: 3 unlock m */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    const struct timespec past = time_past();
    CLAIM(pthread_mutex_timedlock(&m, &past) == ETIMEDOUT);
    CLAIM(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    return argument;
}

int main(void)
{
    const struct timespec never = time_never();
    CLAIM(pthread_mutex_lock(&m) == 0);
    thread_wait(thread_begin(run, NULL));
    CLAIM(pthread_mutex_unlock(&m) == 0);
    CLAIM(pthread_mutex_timedlock(&m, &never) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    CLAIM(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &never) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return 0;
}
