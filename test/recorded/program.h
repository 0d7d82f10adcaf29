/* What the programs share that are built here with `clew cc`, recorded and analysed. Each begins
 * with a comment:
 *
 *     race: WORD WORD       the only races are between the lines whose comments are these words
 *     may race: WORD WORD   this may be found as well, depending on the run
 *     full race: WORD WORD  with --all-accesses this is found as well
 *     no race               there is none
 */
#ifndef CLEW_TEST_RECORDED_PROGRAM_H
#define CLEW_TEST_RECORDED_PROGRAM_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program when the claim is false. */
#define CLAIM(claim)        \
    do {                    \
        if (!(claim)) {     \
            perror(#claim); \
            exit(99);       \
        }                   \
    } while (0)

typedef void *thread_function(void *);

/* Runs both at once and waits for them. */
static inline void run_both(thread_function *first, thread_function *second)
{
    pthread_t a;
    pthread_t b;
    CLAIM(pthread_create(&a, NULL, first, NULL) == 0);
    CLAIM(pthread_create(&b, NULL, second, NULL) == 0);
    CLAIM(pthread_join(a, NULL) == 0);
    CLAIM(pthread_join(b, NULL) == 0);
}

#endif
