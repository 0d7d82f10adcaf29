/* Two threads are interrupted at once and both handlers write the same log position.
 *
 * race: position write write */
#include <signal.h>

#include "../race.h"

static int position;

static void handle(int number)
{
    position += number; /* write */
}

static void *first(void *unused)
{
    MUST(raise(SIGUSR1) == 0);
    return unused;
}

static void *second(void *unused)
{
    MUST(raise(SIGUSR2) == 0);
    return unused;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handle};
    MUST(sigaction(SIGUSR1, &action, NULL) == 0);
    MUST(sigaction(SIGUSR2, &action, NULL) == 0);
    threads_run(first, second);
    return 0;
}
