/* A thread sends a signal before it has written the value that the waiter for the signal reads.
 *
 * race: value write read */
#include <signal.h>

#include "../race.h"

static int value;
static sigset_t awaited;

static void *sender(void *unused)
{
    MUST(kill(getpid(), SIGUSR1) == 0);
    value = 7; /* write */
    return unused;
}

static void *waiter(void *unused)
{
    int number = 0;
    MUST(sigwait(&awaited, &number) == 0);
    MUST(value >= 0); /* read */
    return unused;
}

int main(void)
{
    MUST(sigemptyset(&awaited) == 0 && sigaddset(&awaited, SIGUSR1) == 0);
    MUST(pthread_sigmask(SIG_BLOCK, &awaited, NULL) == 0);
    threads_run(sender, waiter);
    return 0;
}
