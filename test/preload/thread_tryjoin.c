/* The other ways to join.
 *
 * expect: 3 thread-join */
#include "program.h"

static void *run(void *argument)
{
    return argument;
}

int main(void)
{
    const struct timespec never = time_never();
    CLAIM(pthread_timedjoin_np(thread_begin(run, NULL), NULL, &never) == 0);
    CLAIM(pthread_clockjoin_np(thread_begin(run, NULL), NULL, CLOCK_MONOTONIC, &never) == 0);
    const pthread_t thread = thread_begin(run, NULL);
    while (pthread_tryjoin_np(thread, NULL) == EBUSY) {
        (void)sched_yield();
    }
    return 0;
}
