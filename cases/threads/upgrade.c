/* A lock for readers and writers, and readers who want to become writers: each waits until it is
 * the only reader left, and when two do, both stay. The twin lets go and asks again. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static int readers;
static int entries;

static void read_begin(void)
{
    pthread_mutex_lock(&lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

/* Goes on as the only one, with the lock. */
static void upgrade(void)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    readers--;
    pthread_cond_broadcast(&left);
    while (readers > 0) {
        pthread_cond_wait(&left, &lock);
    }
#else
    while (readers > 1) {
        pthread_cond_wait(&left, &lock);
    }
    readers--;
#endif
}

static void *update(void *unused)
{
    read_begin();
    upgrade();
    entries++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(update, update);
    assert(entries == 2);
    return 0;
}
