/* A wait that is cancelled ends, with the lock held for the cleanup.
 *
 * expect: 1 wait-begin c
 * expect: 1 wait-end c
 * order: main/1@n wait-begin c
 * order: main/1@n wait-end c
 * order: main/1@n unlock m
 * order: main/1@n thread-end */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_waiting;

static void unlock(void *argument)
{
    CLAIM(pthread_mutex_unlock(argument) == 0);
}

static void *run(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    pthread_cleanup_push(unlock, &m);
    is_waiting = 1;
    for (;;) {
        CLAIM(pthread_cond_wait(&c, &m) == 0);
    }
    pthread_cleanup_pop(1);
    return argument;
}

int main(void)
{
    const pthread_t thread = thread_begin(run, NULL);
    for (int is_there = 0; !is_there;) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        is_there = is_waiting;
        CLAIM(pthread_mutex_unlock(&m) == 0);
    }
    CLAIM(pthread_cancel(thread) == 0);
    thread_wait(thread);
    return 0;
}
