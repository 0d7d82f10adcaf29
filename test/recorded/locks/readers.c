/* Both orders, but all are readers there; writers take one lock at a time.
 *
 * no deadlock */
#include "threads.h"

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *argument)
{
    NEED(pthread_rwlock_rdlock(&a) == 0);
    NEED(pthread_rwlock_rdlock(&b) == 0);
    NEED(pthread_rwlock_unlock(&b) == 0);
    NEED(pthread_rwlock_unlock(&a) == 0);
    NEED(pthread_rwlock_wrlock(&a) == 0);
    NEED(pthread_rwlock_unlock(&a) == 0);
    return argument;
}

static void *second(void *argument)
{
    await_turn(1);
    NEED(pthread_rwlock_rdlock(&b) == 0);
    NEED(pthread_rwlock_rdlock(&a) == 0);
    NEED(pthread_rwlock_unlock(&a) == 0);
    NEED(pthread_rwlock_unlock(&b) == 0);
    NEED(pthread_rwlock_wrlock(&b) == 0);
    NEED(pthread_rwlock_unlock(&b) == 0);
    return argument;
}

int main(void)
{
    const pthread_t one = begin(first, NULL);
    const pthread_t two = begin(second, NULL);
    finish(one);
    finish(two);
    return 0;
}
