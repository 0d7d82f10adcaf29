/* Two threads lock by named semaphores whose names differ.
 *
 * race: count add add */
#include <fcntl.h>
#include <semaphore.h>

#include "../race.h"

static int count;

static void *add(void *argument)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/clew-%s-%d", (const char *)argument, (int)getpid());
    sem_t *lock = sem_open(name, O_CREAT, 0600, 1);
    MUST(lock != SEM_FAILED);
    MUST(sem_wait(lock) == 0);
    count++; /* add */
    MUST(sem_post(lock) == 0);
    MUST(sem_close(lock) == 0);
    MUST(sem_unlink(name) == 0);
    return NULL;
}

int main(void)
{
    const pthread_t a = thread_start(add, "counter");
    const pthread_t b = thread_start(add, "count");
    thread_join(a);
    thread_join(b);
    MUST(count > 0);
    return 0;
}
