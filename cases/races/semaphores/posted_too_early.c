/* The semaphore is posted before the data that it announces is written.
 *
 * race: data write read */
#include <semaphore.h>

#include "../race.h"

static sem_t ready;
static int data;

static void *writer(void *unused)
{
    MUST(sem_post(&ready) == 0);
    data = 42; /* write */
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
    threads_run(writer, reader);
    return 0;
}
