/* The trying and timed ways to take a read-write lock.
 *
 * expect: 6 lock l
 * expect: 3 lock l mode=try-read
 * expect: 3 lock l mode=try-write
 * expect: 6 unlock l */
#include "program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *run(void *argument)
{
    const struct timespec past = time_past();
    CLAIM(pthread_rwlock_tryrdlock(&l) == EBUSY);
    CLAIM(pthread_rwlock_trywrlock(&l) == EBUSY);
    CLAIM(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT);
    CLAIM(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    return argument;
}

int main(void)
{
    const struct timespec never = time_never();
    CLAIM(pthread_rwlock_trywrlock(&l) == 0);
    thread_wait(thread_begin(run, NULL));
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    CLAIM(pthread_rwlock_tryrdlock(&l) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    CLAIM(pthread_rwlock_timedrdlock(&l, &never) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    CLAIM(pthread_rwlock_timedwrlock(&l, &never) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    CLAIM(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &never) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    CLAIM(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &never) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    return 0;
}
