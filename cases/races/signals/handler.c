/* The handler of a signal that one thread gets counts in a variable that another thread reads.
 *
 * race: caught count read */
#include <signal.h>

#include "../race.h"

static int caught;

static void handle(int number)
{
    (void)number;
    caught++; /* count */
}

static void *interrupted(void *unused)
{
    MUST(raise(SIGUSR1) == 0);
    return unused;
}

static void *reader(void *unused)
{
    MUST(caught <= 1); /* read */
    return unused;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handle};
    MUST(sigaction(SIGUSR1, &action, NULL) == 0);
    threads_run(interrupted, reader);
    return 0;
}
