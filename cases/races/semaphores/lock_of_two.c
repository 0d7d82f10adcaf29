/* A semaphore that is used as a lock begins at 2 and lets two threads in.
 *
 * race: count add add */
#include <semaphore.h>

#include "../race.h"

static sem_t lock;
static int count;

static void *add(void *unused)
{
    MUST(sem_wait(&lock) == 0);
    count++; /* add */
    MUST(sem_post(&lock) == 0);
    return unused;
}

int main(void)
{
    MUST(sem_init(&lock, 0, 2) == 0);
    threads_run(add, add);
    MUST(count > 0);
    return 0;
}
