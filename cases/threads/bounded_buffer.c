/* A buffer with room for one, two who fill it and two who empty it, and one condition for all: a
 * signal that is meant for the other side may wake one of the own, who waits again, and the signal
 * is gone. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;

static void tell(void)
{
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
}

static void *put(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == 1) {
        pthread_cond_wait(&changed, &lock);
    }
    count = 1;
    tell();
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == 0) {
        pthread_cond_wait(&changed, &lock);
    }
    count = 0;
    tell();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(take, take, put, put);
    assert(count == 0);
    return 0;
}
