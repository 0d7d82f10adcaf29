/* What the case studies share: two threads, the second of which starts late, so that a run shows
 * nothing. What could have happened is for clew to tell.
 *
 * With -DFIXED a program is its own fixed twin. */
#ifndef CLEW_CASES_CASE_H
#define CLEW_CASES_CASE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 3, LATE_US = 30000 };

#ifdef FIXED
#define BETWEEN(lock) ((void)0) /* the lock is kept */
#else
/* Where the bug is: the lock is given back between two accesses that belong together. */
#define BETWEEN(lock) (pthread_mutex_unlock(lock), pthread_mutex_lock(lock))
#endif

/* Runs both; says what is left and returns the exit status: 1 when the run itself went wrong. */
static inline int case_run(void *(*first)(void *), void *(*second)(void *), int (*is_wrong)(void))
{
    pthread_t threads[2];
    if (pthread_create(&threads[0], NULL, first, NULL) != 0 ||
        pthread_create(&threads[1], NULL, second, NULL) != 0) {
        (void)fprintf(stderr, "no threads\n");
        return 2;
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    if (is_wrong()) {
        (void)puts("the bug showed");
        return 1;
    }
    return 0;
}

/* The second thread comes when the first is done, by the clock and nothing else. */
static inline void case_late(void)
{
    usleep(LATE_US);
}

#endif
