/* A recursive lock is taken and released as often as it was taken.
 *
 * expect: 4 lock m
 * expect: 4 unlock m */
#include "program.h"

static pthread_mutex_t m;

static void prepare(void)
{
    pthread_mutexattr_t attributes;
    CLAIM(pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    CLAIM(pthread_mutex_init(&m, &attributes) == 0);
}

static void *run(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return argument;
}

int main(void)
{
    prepare();
    const pthread_t thread = thread_begin(run, NULL);
    (void)run(NULL);
    thread_wait(thread);
    return 0;
}
