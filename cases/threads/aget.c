/* A download in parts that can be saved and resumed, after aget in the CB suite of SCTBench. A part
 * notes its own progress under the lock and the sum of all without: what is saved in between does
 * not fit together. */
#include "threads.h"

enum { PARTS = 2, BLOCKS = 2, BLOCK = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long progress[PARTS];
static long sum;

static void *download(void *which)
{
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&lock);
        progress[(intptr_t)which] += BLOCK;
#ifndef FIXED
        pthread_mutex_unlock(&lock);
#endif
        sum += BLOCK;
#ifdef FIXED
        pthread_mutex_unlock(&lock);
#endif
    }
    return NULL;
}

static void *save(void *unused)
{
    pthread_mutex_lock(&lock);
    const long saved = sum;
    long parts = 0;
    for (int i = 0; i < PARTS; i++) {
        parts += progress[i];
    }
    pthread_mutex_unlock(&lock);
    assert(saved == parts);
    return unused;
}

int main(void)
{
    RUN(download, download, save);
    return 0;
}
