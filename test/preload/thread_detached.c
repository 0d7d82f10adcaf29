/* A detached thread ends by itself.
 *
 * expect: 1 thread-create
 * expect: 1 thread-end
 * expect: 1 sem-post
 * expect: 0 thread-join
 * allow: not-ended */
#include <semaphore.h>

#include "program.h"

static sem_t done;

static void *run(void *argument)
{
    CLAIM(pthread_detach(pthread_self()) == 0);
    CLAIM(sem_post(&done) == 0);
    return argument;
}

int main(void)
{
    CLAIM(sem_init(&done, 0, 0) == 0);
    (void)thread_begin(run, NULL);
    CLAIM(sem_wait(&done) == 0);
    (void)usleep(50000);
    return 0;
}
