/* A semaphore that begins at 1 is used as a lock.
 *
 * no race */
#include <semaphore.h>

#include "../race.h"

static sem_t lock;
static int count;

static void *add(void *unused)
{
    for (int i = 0; i < 5; i++) {
        MUST(sem_wait(&lock) == 0);
        count++;
        MUST(sem_post(&lock) == 0);
    }
    return unused;
}

int main(void)
{
    MUST(sem_init(&lock, 0, 1) == 0);
    threads_run(add, add);
    MUST(count == 10);
    return 0;
}
