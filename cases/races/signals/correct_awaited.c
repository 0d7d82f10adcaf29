/* A thread writes a value and then sends a signal to its process; another thread waits for the
 * signal and reads the value.
 *
 * no race */
#include <signal.h>

#include "../race.h"

static int value;
static sigset_t awaited;

static void *sender(void *unused)
{
    value = 7;
    MUST(kill(getpid(), SIGUSR1) == 0);
    return unused;
}

static void *waiter(void *unused)
{
    int number = 0;
    MUST(sigwait(&awaited, &number) == 0);
    MUST(value == 7);
    return unused;
}

int main(void)
{
    MUST(sigemptyset(&awaited) == 0 && sigaddset(&awaited, SIGUSR1) == 0);
    MUST(pthread_sigmask(SIG_BLOCK, &awaited, NULL) == 0);
    threads_run(sender, waiter);
    return 0;
}
