/* Two semaphores that begin at 0 hand a value to and fro.
 *
 * no race */
#include <semaphore.h>

#include "../race.h"

static sem_t asked;
static sem_t answered;
static int value;

static void *client(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        value = i;
        MUST(sem_post(&asked) == 0);
        MUST(sem_wait(&answered) == 0);
        MUST(value == i * i);
    }
    return unused;
}

static void *server(void *unused)
{
    for (int i = 0; i < 3; i++) {
        MUST(sem_wait(&asked) == 0);
        value *= value;
        MUST(sem_post(&answered) == 0);
    }
    return unused;
}

int main(void)
{
    MUST(sem_init(&asked, 0, 0) == 0);
    MUST(sem_init(&answered, 0, 0) == 0);
    threads_run(client, server);
    return 0;
}
