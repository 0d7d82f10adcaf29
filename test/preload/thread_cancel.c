/* A cancelled thread runs its cleanup handlers and has an end.
 *
 * expect: 1 thread-end
 * order: main/1@n sem-post
 * order: main/1@n lock m
 * order: main/1@n unlock m
 * order: main/1@n thread-end
 * order: main@n thread-join main/1@n */
#include <semaphore.h>

#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;

static void unlock(void *argument)
{
    CLAIM(pthread_mutex_unlock(argument) == 0);
}

static void *run(void *argument)
{
    CLAIM(sem_post(&ready) == 0);
    CLAIM(pthread_mutex_lock(&m) == 0);
    pthread_cleanup_push(unlock, &m);
    for (;;) {
        (void)pause();
    }
    pthread_cleanup_pop(1);
    return argument;
}

int main(void)
{
    CLAIM(sem_init(&ready, 0, 0) == 0);
    const pthread_t thread = thread_begin(run, NULL);
    CLAIM(sem_wait(&ready) == 0);
    CLAIM(pthread_cancel(thread) == 0);
    thread_wait(thread);
    return 0;
}
