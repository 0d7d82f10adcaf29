/* A signal interrupts a blocking read; the read is not told until bytes have come.
 *
 * expect: 1 send
 * expect: 1 recv */
#include <signal.h>

#include "program.h"

static int ends[2];

static void ignore(int number)
{
    (void)number;
}

static void *run(void *argument)
{
    char byte = 0;
    const ssize_t got = read(ends[0], &byte, 1);
    CLAIM(got < 0 && errno == EINTR);
    *(volatile int *)argument = 1;
    CLAIM(read(ends[0], &byte, 1) == 1);
    return NULL;
}

int main(void)
{
    static volatile int is_interrupted;
    const struct sigaction action = {.sa_handler = ignore};
    CLAIM(sigaction(SIGUSR1, &action, NULL) == 0);
    CLAIM(pipe2(ends, 0) == 0);
    const pthread_t thread = thread_begin(run, (void *)&is_interrupted);
    while (!is_interrupted) {
        CLAIM(pthread_kill(thread, SIGUSR1) == 0);
        (void)usleep(1000);
    }
    write_all(ends[1], "x");
    thread_wait(thread);
    return 0;
}
