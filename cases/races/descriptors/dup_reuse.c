/* A thread changes the state and closes its copy of a descriptor; another one copies the descriptor
 * and reads the state.
 *
 * race: state write read */
#include "../race.h"

static int state;

static void *writer(void *unused)
{
    const int copy = dup(STDERR_FILENO);
    MUST(copy >= 0);
    state = 1; /* write */
    MUST(close(copy) == 0);
    return unused;
}

static void *reader(void *unused)
{
    const int copy = dup(STDERR_FILENO);
    MUST(copy >= 0);
    MUST(state <= 1); /* read */
    MUST(close(copy) == 0);
    return unused;
}

int main(void)
{
    threads_run(writer, reader);
    return 0;
}
