/* A lock that is tried in vain is not acquired.
 *
 * expect: 2 lock m
 * expect: 1 lock m mode=mutex
 * expect: 1 lock m mode=try-mutex
 * expect: 2 unlock m */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    CLAIM(pthread_mutex_trylock(&m) == EBUSY);
    return argument;
}

int main(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    thread_wait(thread_begin(run, NULL));
    CLAIM(pthread_mutex_unlock(&m) == 0);
    CLAIM(pthread_mutex_trylock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return 0;
}
