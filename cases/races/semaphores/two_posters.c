/* Two threads post one semaphore, and the waiter takes either post for the news that the data is
 * written: the post of the thread that wrote nothing lets it read too early.
 *
 * race: data write read */
#include <semaphore.h>

#include "../race.h"

static sem_t ready;
static int data;

static void *writer(void *unused)
{
    data = 42; /* write */
    MUST(sem_post(&ready) == 0);
    return unused;
}

static void *other(void *unused)
{
    MUST(sem_post(&ready) == 0);
    return unused;
}

static void *reader(void *unused)
{
    MUST(sem_wait(&ready) == 0);
    MUST(data == 0 || data == 42); /* read */
    return unused;
}

int main(void)
{
    MUST(sem_init(&ready, 0, 0) == 0);
    const pthread_t third = thread_start(other, NULL);
    threads_run(writer, reader);
    thread_join(third);
    return 0;
}
