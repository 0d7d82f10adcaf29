/* A slot that is full at first, and a condition for each change, after the sync programs of the
 * SCTBench suite. Whoever empties the slot signals the wrong condition: a producer that already
 * waits is never woken. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int count = 1;

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count > 0) {
        pthread_cond_wait(&emptied, &lock);
    }
    count++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == 0) {
        pthread_cond_wait(&filled, &lock);
    }
    count--;
#ifdef FIXED
    pthread_cond_signal(&emptied);
#else
    pthread_cond_signal(&filled);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(consume, produce);
    assert(count == 1);
    return 0;
}
