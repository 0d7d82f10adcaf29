/* Parent and child add to a counter in memory that they share since the fork.
 *
 * race: shm: parent child */
#include "../race.h"

static int *counter;

static void child_body(void)
{
    *counter += 1; /* child */
}

int main(void)
{
    counter = shared_memory(sizeof *counter);
    const pid_t child = process_start(child_body);
    *counter += 1; /* parent */
    process_join(child);
    MUST(*counter >= 1);
    return 0;
}
