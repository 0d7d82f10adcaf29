/* A lock that is taken before a fork is released after it on both sides: the child's is a copy.
 *
 * expect: 2 lock m
 * expect: 2 unlock m
 * expect: 2 lock r
 * order: main@n lock m
 * order: main@n/1 lock m
 * order: main@n/1 unlock m */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;

static void take(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_rwlock_wrlock(&r) == 0);
}

static void give(void)
{
    CLAIM(pthread_rwlock_unlock(&r) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
}

int main(void)
{
    CLAIM(pthread_atfork(take, give, give) == 0);
    const pid_t pid = fork();
    if (pid != 0) {
        child_wait(pid);
    }
    return 0;
}
