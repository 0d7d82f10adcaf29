/* A handler posts a semaphore; the thread that waits for it then reads what was written before the
 * signal.
 *
 * no race */
#include <semaphore.h>
#include <signal.h>

#include "../race.h"

static sem_t caught;
static int reason;

static void handle(int number)
{
    (void)number;
    (void)sem_post(&caught);
}

static void *interrupted(void *unused)
{
    reason = 3;
    MUST(raise(SIGUSR1) == 0);
    return unused;
}

static void *waiter(void *unused)
{
    MUST(sem_wait(&caught) == 0);
    MUST(reason == 3);
    return unused;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handle};
    MUST(sem_init(&caught, 0, 0) == 0);
    MUST(sigaction(SIGUSR1, &action, NULL) == 0);
    threads_run(interrupted, waiter);
    return 0;
}
