/* A robust lock passes on when its holder has died.
 *
 * expect: 2 lock m
 * expect: 1 unlock m
 * order: main/1@n lock m
 * order: main/1@n thread-end
 * order: main@n lock m
 * order: main@n unlock m
 * allow: lock-held */
#include "program.h"

static pthread_mutex_t m;

static void prepare(void)
{
    pthread_mutexattr_t attributes;
    CLAIM(pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    CLAIM(pthread_mutex_init(&m, &attributes) == 0);
}

static void *run(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    return argument;
}

int main(void)
{
    prepare();
    thread_wait(thread_begin(run, NULL));
    CLAIM(pthread_mutex_lock(&m) == EOWNERDEAD);
    CLAIM(pthread_mutex_consistent(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return 0;
}
