/* A table made by whoever needs it first: two who find that there is none both make one, and what
 * the first has put into its own is gone. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;

static int *table_get(void)
{
    pthread_mutex_lock(&lock);
    int *seen = table;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
    if (seen == NULL) {
        seen = calloc(2, sizeof *seen);
#ifndef FIXED
        pthread_mutex_lock(&lock);
#endif
        table = seen;
#ifndef FIXED
        pthread_mutex_unlock(&lock);
#endif
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return seen;
}

static void *put(void *which)
{
    int *own = table_get();
    own[(intptr_t)which] = 1;
    return NULL;
}

int main(void)
{
    RUN(put, put);
    assert(table[0] == 1 && table[1] == 1);
    free(table);
    return 0;
}
