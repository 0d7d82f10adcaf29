/* What library.c has made in its constructor and its users go on with. */
#ifndef CLEW_TEST_PRELOAD_EARLY_H
#define CLEW_TEST_PRELOAD_EARLY_H

#include <semaphore.h>

struct early {
    sem_t units;      /* begins at 2 */
    int *shared;      /* a word that processes share */
    int pipe_ends[2]; /* a byte is in it */
};

extern struct early early;

#endif
