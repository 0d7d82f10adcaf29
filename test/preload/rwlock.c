/* Readers together, writers alone.
 *
 * expect: 6 lock l
 * expect: 6 unlock l
 * order: main@n lock l mode=write
 * order: main@n unlock l mode=write
 * order: main/1@n lock l mode=read
 * order: main/1@n unlock l mode=read */
#include "program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *run(void *argument)
{
    CLAIM(pthread_rwlock_rdlock(&l) == 0);
    CLAIM(pthread_rwlock_rdlock(&l) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    return argument;
}

int main(void)
{
    CLAIM(pthread_rwlock_wrlock(&l) == 0);
    const pthread_t one = thread_begin(run, NULL);
    const pthread_t two = thread_begin(run, NULL);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    thread_wait(one);
    thread_wait(two);
    CLAIM(pthread_rwlock_wrlock(&l) == 0);
    CLAIM(pthread_rwlock_unlock(&l) == 0);
    return 0;
}
