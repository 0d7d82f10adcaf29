/* A reader that asks for the write lock while it holds the read lock waits for itself. It does so
 * only when there is nothing in the cache yet. */
#include "threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached;

static void *look_up(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    if (cached == 0) {
#ifdef FIXED
        pthread_rwlock_unlock(&lock);
#endif
        pthread_rwlock_wrlock(&lock);
        cached = 1;
    }
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *fill(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    cached = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(fill, look_up);
    return 0;
}
