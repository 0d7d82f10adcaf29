/* A thread writes a value and then sends a signal to another thread, whose handler reads the value.
 *
 * no race */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../race.h"

static int value;
static atomic_bool is_ready, is_caught;

static void handle(int number)
{
    (void)number;
    const bool is_right = value == 7;
    atomic_store(&is_caught, is_right);
}

static void *target(void *unused)
{
    atomic_store(&is_ready, true);
    while (!atomic_load(&is_caught)) {
        (void)usleep(100);
    }
    return unused;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handle};
    MUST(sigaction(SIGUSR1, &action, NULL) == 0);
    const pthread_t thread = thread_start(target, NULL);
    while (!atomic_load(&is_ready)) {
        (void)usleep(100);
    }
    value = 7;
    MUST(pthread_kill(thread, SIGUSR1) == 0);
    thread_join(thread);
    return 0;
}
