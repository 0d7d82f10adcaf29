/* What is posted can be waited for, in each way; what is not there is not taken.
 *
 * expect: 1 sem-init s value=0
 * expect: 4 sem-post s
 * expect: 4 sem-wait s */
#include <semaphore.h>

#include "program.h"

static sem_t s;

static void *run(void *argument)
{
    for (int i = 0; i < 4; i++) {
        CLAIM(sem_post(&s) == 0);
    }
    return argument;
}

int main(void)
{
    const struct timespec never = time_never();
    const struct timespec past = time_past();
    CLAIM(sem_init(&s, 0, 0) == 0);
    CLAIM(sem_trywait(&s) < 0 && errno == EAGAIN);
    CLAIM(sem_timedwait(&s, &past) < 0 && errno == ETIMEDOUT);
    const pthread_t thread = thread_begin(run, NULL);
    CLAIM(sem_wait(&s) == 0);
    CLAIM(sem_timedwait(&s, &never) == 0);
    CLAIM(sem_clockwait(&s, CLOCK_MONOTONIC, &never) == 0);
    thread_wait(thread);
    CLAIM(sem_trywait(&s) == 0);
    return 0;
}
