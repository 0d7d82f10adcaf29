/* A signal's delivery is told with what its handler does; the program sees its own handlers.
 *
 * expect: 5 interrupt
 * expect: 4 interrupt-end
 * order: main@n interrupt value=10
 * order: main@n lock m
 * order: main@n unlock m
 * order: main@n interrupt-end value=10
 * order: main/1@n interrupt value=12
 * order: main/1@n interrupt-end value=12 */
#include <setjmp.h>
#include <signal.h>

#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t count, code;
static sigjmp_buf back;

static void plain(int number)
{
    (void)number;
    (void)pthread_mutex_lock(&m);
    count++;
    (void)pthread_mutex_unlock(&m);
}

static void with_info(int number, siginfo_t *info, void *context)
{
    CLAIM(info->si_signo == number && context != NULL);
    code = info->si_code;
}

static void jumping(int number)
{
    siglongjmp(back, number);
}

static void *interrupted(void *unused)
{
    CLAIM(pthread_kill(pthread_self(), SIGUSR2) == 0);
    return unused;
}

static void check_handlers(void)
{
    struct sigaction before;
    const struct sigaction informed = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO};
    CLAIM(signal(SIGUSR1, plain) == SIG_DFL);
    CLAIM(signal(SIGUSR1, plain) == plain);
    CLAIM(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == plain);
    CLAIM(sigaction(SIGUSR2, &informed, &before) == 0 && before.sa_handler == SIG_DFL);
    CLAIM(sigaction(SIGUSR2, NULL, &before) == 0 && before.sa_sigaction == with_info);
    CLAIM(sigaction(SIGKILL, &informed, NULL) < 0);
    CLAIM(signal(SIGKILL, plain) == SIG_ERR);
}

int main(void)
{
    check_handlers();
    CLAIM(raise(SIGUSR1) == 0 && count == 1);
    thread_wait(thread_begin(interrupted, NULL));
    CLAIM(code == SI_TKILL);
    CLAIM(sysv_signal(SIGUSR1, plain) == plain);
    CLAIM(raise(SIGUSR1) == 0 && count == 2); /* and the handler is gone */
    struct sigaction before;
    CLAIM(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
    CLAIM(signal(SIGALRM, jumping) == SIG_DFL);
    if (sigsetjmp(back, 1) == 0) {
        CLAIM(raise(SIGALRM) == 0);
    }
    CLAIM(signal(SIGALRM, SIG_IGN) == jumping);
    CLAIM(raise(SIGALRM) == 0);
    CLAIM(signal(SIGALRM, plain) == SIG_IGN);
    CLAIM(raise(SIGALRM) == 0 && count == 3);
    return 0;
}
