/* What the programs of this folder share: two threads, the second of which comes late, so that a
 * plain run shows nothing. What could have happened is for clew to say.
 *
 * The first comment of a program says which system the bug is from, what goes wrong, and which
 * accesses belong together:
 *
 *     couple: VARIABLE WORD, VARIABLE WORD   one thread's accesses, at the lines whose comments are
 *                                            these words; any one of several such lines will do
 *     pattern: NUMBER...                     of the two-variable patterns, those that must be found
 *     correct                                the program has no such bug, and no twin
 *
 * VARIABLE is the last part of the name that clew gives it, without an index: `count` for
 * `vector.count`, `heap` for what is in memory from malloc, which has no names of its own. A line
 * may have several words. With -DFIXED a program is its own fixed twin.
 */
#ifndef CLEW_CASES_ATOMICITY_KERNEL_H
#define CLEW_CASES_ATOMICITY_KERNEL_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 3, LATE_US = 30000 };

#ifdef FIXED
#define BETWEEN(lock) ((void)0) /* the lock is kept */
#else
/* Where the bug is: the lock is released between two accesses that belong together. */
#define BETWEEN(lock) (pthread_mutex_unlock(lock), pthread_mutex_lock(lock))
#endif

/* Runs both threads to their end. Returns the exit status: 1 when the run itself went wrong. */
static inline int kernel_run(void *(*first)(void *), void *(*second)(void *), int (*is_wrong)(void))
{
    pthread_t threads[2];
    if (pthread_create(&threads[0], NULL, first, NULL) != 0 ||
        pthread_create(&threads[1], NULL, second, NULL) != 0) {
        (void)fprintf(stderr, "cannot create threads\n");
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

/* Lets the other thread finish first, by the clock and nothing else. */
static inline void kernel_late(void)
{
    usleep(LATE_US);
}

#endif
