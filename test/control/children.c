/* Children that a program forks, used rightly: a run ends with status 0, and with another when a
 * child is not what it would be by itself. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "need.h"

static volatile sig_atomic_t came;

static void count(int signal)
{
    (void)signal;
    came++;
}

static int wait_for(pid_t child)
{
    int status = 0;
    NEED(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void use_handlers(void)
{
    NEED(signal(SIGUSR1, count) != SIG_ERR);
    const pid_t child = fork();
    if (child == 0) {
        NEED(raise(SIGUSR1) == 0 && came == 1);
        NEED(signal(SIGUSR2, count) == SIG_DFL && signal(SIGUSR1, SIG_IGN) == count);
        NEED(raise(SIGUSR2) == 0 && raise(SIGUSR1) == 0 && came == 2);
        _exit(0);
    }
    NEED(wait_for(child) == 0 && came == 0);
}

/* What comes before it is waited for is kept. */
static void use_mask(void)
{
    sigset_t one;
    int taken = 0;
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGTERM) == 0);
    NEED(sigprocmask(SIG_BLOCK, &one, NULL) == 0);
    const pid_t child = fork();
    if (child == 0) {
        NEED(sigwait(&one, &taken) == 0 && taken == SIGTERM);
        _exit(0);
    }
    NEED(kill(child, SIGTERM) == 0 && wait_for(child) == 0);
    NEED(sigprocmask(SIG_UNBLOCK, &one, NULL) == 0);
}

static void *end_at_once(void *unused)
{
    return unused;
}

static int end_with_seven(void *unused)
{
    (void)unused;
    return 7;
}

static void *wait_to_be_cancelled(void *unused)
{
    while (1) {
        pthread_testcancel();
        (void)usleep(100);
    }
    return unused;
}

static void use_threads(void)
{
    const pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        thrd_t other;
        void *result = NULL;
        int number = 0;
        NEED(pthread_create(&thread, NULL, end_at_once, NULL) == 0 && pthread_detach(thread) == 0);
        NEED(pthread_create(&thread, NULL, end_at_once, NULL) == 0);
        while (pthread_tryjoin_np(thread, NULL) == EBUSY) {
            (void)usleep(100);
        }
        NEED(pthread_create(&thread, NULL, wait_to_be_cancelled, NULL) == 0);
        NEED(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
        NEED(result == PTHREAD_CANCELED);
        NEED(thrd_create(&other, end_with_seven, NULL) == thrd_success);
        NEED(thrd_join(other, &number) == thrd_success && number == 7);
        _exit(0);
    }
    NEED(wait_for(child) == 0);
}

/* A child that libc knows nothing of. */
static void use_system_call(void)
{
    const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        NEED(syscall(SYS_getpid) != getppid() && kill(getpid(), SIGUSR1) == 0 && came == 1);
        _exit(0);
    }
    NEED(wait_for(child) == 0 && came == 0);
}

int main(void)
{
    use_handlers();
    use_mask();
    use_threads();
    use_system_call();
    return 0;
}
