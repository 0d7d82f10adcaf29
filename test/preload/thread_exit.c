/* A thread that leaves by pthread_exit from deep inside has an end.
 *
 * expect: 1 thread-end
 * order: main/1@n unlock m
 * order: main/1@n thread-end
 * order: main@n thread-join main/1@n */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void leave(void)
{
    CLAIM(pthread_mutex_unlock(&m) == 0);
    pthread_exit(NULL);
}

static void *run(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    leave();
    return argument;
}

int main(void)
{
    thread_wait(thread_begin(run, NULL));
    return 0;
}
