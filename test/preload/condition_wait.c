/* A wait releases the lock, and a signal ends it.
 *
 * expect: 1+ wait-begin c
 * expect: 1+ wait-end c
 * expect: 1 signal c
 * order: main@n wait-begin c
 * order: main/1@n lock m
 * order: main/1@n signal c
 * order: main/1@n unlock m
 * order: main@n wait-end c */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *run(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    is_ready = 1;
    CLAIM(pthread_cond_signal(&c) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return argument;
}

int main(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    const pthread_t thread = thread_begin(run, NULL);
    while (!is_ready) {
        CLAIM(pthread_cond_wait(&c, &m) == 0);
    }
    CLAIM(pthread_mutex_unlock(&m) == 0);
    thread_wait(thread);
    return 0;
}
