/* A parent that waits for the end of its child: it looks whether the handler of SIGCHLD has run,
 * and then pauses. A child that ends between the two is never noticed. FIXED: the signal is blocked
 * until sigsuspend() waits for it. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t has_ended;

static void note(int signal)
{
    (void)signal;
    has_ended = 1;
}

int main(void)
{
    sigset_t child;
    sigset_t before;
    signal(SIGCHLD, note);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
#ifdef FIXED
    sigprocmask(SIG_BLOCK, &child, &before);
#endif
    if (fork() == 0) {
        _exit(0);
    }
    while (!has_ended) {
#ifdef FIXED
        sigsuspend(&before);
#else
        pause();
#endif
    }
    (void)before;
    return wait(NULL) < 0;
}
