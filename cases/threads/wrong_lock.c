/* A counter that everybody locks, but not with the same lock. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(pthread_mutex_t *with)
{
    pthread_mutex_lock(with);
    count = count + 1;
    pthread_mutex_unlock(with);
}

static void *add_one(void *unused)
{
    add(&lock);
    return unused;
}

static void *add_another(void *unused)
{
#ifdef FIXED
    add(&lock);
#else
    add(&other);
#endif
    return unused;
}

int main(void)
{
    (void)other;
    RUN(add_one, add_another);
    assert(count == 2);
    return 0;
}
