/* A signal handler uses the very atomics that it interrupts, and the process forks meanwhile.
 * no race */
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static atomic_long count, raised;

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&count, 1);
    atomic_fetch_add(&raised, 1);
}

static void *work(void *unused)
{
    for (int i = 0; i < 2000 || atomic_load(&raised) < 3; i++) {
        atomic_fetch_add(&count, 1);
    }
    return unused;
}

int main(void)
{
    signal(SIGALRM, on_signal);
    const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
    CLAIM(setitimer(ITIMER_REAL, &often, NULL) == 0);
    run_both(work, work);
    const pid_t pid = fork();
    if (pid == 0) {
        atomic_fetch_add(&count, 1);
        _exit(0);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) != pid) {
    }
    CLAIM(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
