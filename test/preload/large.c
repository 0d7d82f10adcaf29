/* More than one segment of records: none is lost where one ends and the next begins.
 *
 * expect: 100000 lock m
 * expect: 100000 unlock m */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    for (int i = 0; i < 50000; i++) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        CLAIM(pthread_mutex_unlock(&m) == 0);
    }
    return argument;
}

int main(void)
{
    const pthread_t one = thread_begin(run, NULL);
    const pthread_t two = thread_begin(run, NULL);
    thread_wait(one);
    thread_wait(two);
    return 0;
}
