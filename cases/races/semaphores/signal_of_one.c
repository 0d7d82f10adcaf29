/* A semaphore that is used as a signal begins at 1, so that its waiter need not wait for the post.
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

static void *reader(void *unused)
{
    MUST(sem_wait(&ready) == 0);
    MUST(data == 0 || data == 42); /* read */
    return unused;
}

int main(void)
{
    MUST(sem_init(&ready, 0, 1) == 0);
    threads_run(writer, reader);
    return 0;
}
