/* A self-pipe: the handler of SIGCHLD writes a byte, and the main loop reaps a child for each byte.
 * Two children that end before the handler runs leave one signal, hence one byte; the second child
 * is waited for in vain. FIXED: a byte means that there is at least one. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 2 };

static int ends[2];

static void note(int signal)
{
    const char byte = 0;
    (void)signal;
    (void)!write(ends[1], &byte, 1);
}

int main(void)
{
    int reaped = 0;
    char byte = 0;
    const struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    if (pipe(ends) != 0) {
        return 2;
    }
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() == 0) {
            _exit(0);
        }
    }
    while (reaped < CHILDREN) {
        if (read(ends[0], &byte, 1) != 1) {
            return 3;
        }
#ifdef FIXED
        while (waitpid(-1, NULL, WNOHANG) > 0) {
            reaped++;
        }
#else
        reaped += waitpid(-1, NULL, WNOHANG) > 0;
#endif
    }
    return 0;
}
