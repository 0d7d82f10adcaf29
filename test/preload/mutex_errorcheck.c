/* What a lock refuses did not happen.
 *
 * expect: 1 lock m
 * expect: 1 unlock m */
#include "program.h"

static pthread_mutex_t m;

static void prepare(void)
{
    pthread_mutexattr_t attributes;
    CLAIM(pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
    CLAIM(pthread_mutex_init(&m, &attributes) == 0);
}

int main(void)
{
    prepare();
    CLAIM(pthread_mutex_unlock(&m) == EPERM);
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_lock(&m) == EDEADLK);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == EPERM);
    return 0;
}
