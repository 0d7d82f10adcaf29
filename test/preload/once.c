/* The one who initializes is the first to know it done.
 *
 * expect: 1 once-begin o
 * expect: 3 once o
 * expect: 1 once p
 * expect: 1 lock m
 * order: unlock m
 * order: once p
 * order: once o
 * order: once o
 * order: once o */
#include "program.h"

static pthread_once_t o = PTHREAD_ONCE_INIT;
static pthread_once_t p = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void inner(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
}

static void outer(void)
{
    CLAIM(pthread_once(&p, inner) == 0);
}

static void *run(void *argument)
{
    CLAIM(pthread_once(&o, outer) == 0);
    return argument;
}

int main(void)
{
    const pthread_t one = thread_begin(run, NULL);
    const pthread_t two = thread_begin(run, NULL);
    (void)run(NULL);
    thread_wait(one);
    thread_wait(two);
    return 0;
}
