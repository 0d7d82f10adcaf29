/* A detached thread says that it is done and then still counts its work.
 *
 * race: count write read */
#include <semaphore.h>

#include "../race.h"

static sem_t done;
static sem_t gone;
static int count;

static void *work(void *unused)
{
    MUST(sem_post(&done) == 0);
    count = 7; /* write */
    MUST(sem_post(&gone) == 0);
    return unused;
}

int main(void)
{
    MUST(sem_init(&done, 0, 0) == 0);
    MUST(sem_init(&gone, 0, 0) == 0);
    MUST(pthread_detach(thread_start(work, NULL)) == 0);
    MUST(sem_wait(&done) == 0);
    const int seen = count; /* read */
    MUST(sem_wait(&gone) == 0);
    MUST(seen == 0 || seen == 7);
    return 0;
}
