/* A monitor within a monitor: who waits for the inner one keeps the outer one's lock, through which
 * alone the other could come to wake it. */
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static bool is_filled;

static void *take(void *unused)
{
#ifndef FIXED
    pthread_mutex_lock(&outer);
#endif
    pthread_mutex_lock(&inner);
    while (!is_filled) {
        pthread_cond_wait(&filled, &inner);
    }
    pthread_mutex_unlock(&inner);
#ifndef FIXED
    pthread_mutex_unlock(&outer);
#endif
    return unused;
}

static void *fill(void *unused)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    is_filled = true;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

int main(void)
{
    RUN(fill, take);
    return 0;
}
