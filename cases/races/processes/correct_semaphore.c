/* Parent and child hand a value to and fro by semaphores in the memory that they share.
 *
 * no race */
#include <semaphore.h>

#include "../race.h"

static struct {
    sem_t asked;
    sem_t answered;
    int value;
} * shared;

static void server(void)
{
    MUST(sem_wait(&shared->asked) == 0);
    shared->value *= shared->value;
    MUST(sem_post(&shared->answered) == 0);
}

int main(void)
{
    shared = shared_memory(sizeof *shared);
    MUST(sem_init(&shared->asked, 1, 0) == 0);
    MUST(sem_init(&shared->answered, 1, 0) == 0);
    const pid_t child = process_start(server);
    shared->value = 6;
    MUST(sem_post(&shared->asked) == 0);
    MUST(sem_wait(&shared->answered) == 0);
    MUST(shared->value == 36);
    process_join(child);
    return 0;
}
