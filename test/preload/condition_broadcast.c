/* A broadcast wakes all.
 *
 * expect: 2+ wait-end c
 * expect: 1 broadcast c */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting_count;
static int is_open;

static void *run(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    waiting_count++;
    while (!is_open) {
        CLAIM(pthread_cond_wait(&c, &m) == 0);
    }
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return argument;
}

int main(void)
{
    const pthread_t one = thread_begin(run, NULL);
    const pthread_t two = thread_begin(run, NULL);
    for (int is_full = 0; !is_full;) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        is_full = waiting_count == 2;
        is_open = is_full;
        CLAIM(pthread_mutex_unlock(&m) == 0);
    }
    CLAIM(pthread_cond_broadcast(&c) == 0);
    thread_wait(one);
    thread_wait(two);
    return 0;
}
