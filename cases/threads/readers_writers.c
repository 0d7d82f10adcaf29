/* Readers together or one writer: the writer waits until nobody reads, and lets go of the lock
 * before it writes. A reader comes in between, and sees half of what is written. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writers;
static int left, right;

static void *write_both(void *unused)
{
    pthread_mutex_lock(&lock);
    while (readers > 0) {
        pthread_cond_wait(&changed, &lock);
    }
#ifdef FIXED
    writers++;
#endif
    pthread_mutex_unlock(&lock);
    left++;
    right++;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    writers--;
#endif
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *read_both(void *unused)
{
    pthread_mutex_lock(&lock);
    while (writers > 0) {
        pthread_cond_wait(&changed, &lock);
    }
    readers++;
    pthread_mutex_unlock(&lock);
    assert(left == right);
    pthread_mutex_lock(&lock);
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(write_both, read_both);
    return 0;
}
