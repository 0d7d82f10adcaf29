/* Signals and timers, used rightly: a run ends with status 0 whoever goes when, and with another
 * when something did not do what it says. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "need.h"

static atomic_int came, ready;
static volatile sig_atomic_t value;
static pthread_t handled_by;

static void count(int signal)
{
    (void)signal;
    handled_by = pthread_self();
    atomic_fetch_add(&came, 1);
}

static void count_value(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    value = info->si_value.sival_int;
    atomic_fetch_add(&came, 1);
}

static void set(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    NEED(sigaction(signal, &action, NULL) == 0);
}

static int take_came(void)
{
    return atomic_exchange(&came, 0);
}

static void use_raise(void)
{
    sigset_t one;
    sigset_t pending;
    set(SIGUSR1, count, 0);
    NEED(raise(SIGUSR1) == 0 && take_came() == 1);
    NEED(kill(getpid(), SIGUSR1) == 0 && take_came() == 1);
    NEED(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0 && take_came() == 1);
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGUSR1) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0);
    NEED(raise(SIGUSR1) == 0 && take_came() == 0);
    NEED(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 1);
    NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0 && take_came() == 1);
    set(SIGUSR1, SIG_IGN, 0);
    NEED(raise(SIGUSR1) == 0 && take_came() == 0);
    set(SIGUSR1, count, 0);
    NEED(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0 && raise(SIGUSR1) == 0);
    set(SIGUSR1, SIG_IGN, 0); /* what is kept is forgotten */
    NEED(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 0);
    set(SIGUSR1, count, 0);
    NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0 && take_came() == 0);
    set(SIGUSR1, SIG_IGN, 0);
    NEED(kill(getpid(), 0) == 0);
    struct sigaction action = {.sa_sigaction = count_value, .sa_flags = SA_SIGINFO};
    NEED(sigaction(SIGUSR2, &action, NULL) == 0);
    NEED(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 42}) == 0);
    NEED(take_came() == 1 && value == 42);
}

static sigjmp_buf back;

static void jump(int signal)
{
    siglongjmp(back, signal);
}

static void use_jump(void)
{
    set(SIGUSR1, jump, 0);
    for (volatile int i = 0; i < 2; i++) {
        if (sigsetjmp(back, 1) == 0) {
            (void)raise(SIGUSR1);
            exit(BAD);
        }
    }
}

/* A jump brings back what was blocked where it was prepared. */
static void use_jump_back(void)
{
    sigset_t one;
    sigset_t now;
    set(SIGUSR1, count, 0);
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGUSR1) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0);
    if (sigsetjmp(back, 1) == 0) {
        NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0);
        siglongjmp(back, 1);
    }
    NEED(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR1) == 1);
    if (sigsetjmp(back, 0) == 0) {
        NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0);
        siglongjmp(back, 1);
    }
    NEED(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR1) == 0);
}

static void *sleep_long(void *unused)
{
    atomic_store(&ready, 1);
    (void)unused;
    errno = 0;
    const struct timespec hour = {.tv_sec = 3600};
    struct timespec left = {0};
    const int slept = nanosleep(&hour, &left);
    NEED(slept == 0 || (errno == EINTR && left.tv_sec > 0));
    return (void *)(intptr_t)(slept == 0);
}

/* Whoever it was sent to handles it, and its sleep ends. */
static void use_thread(void)
{
    pthread_t thread;
    void *slept = NULL;
    set(SIGUSR1, count, SA_RESTART);
    NEED(pthread_create(&thread, NULL, sleep_long, NULL) == 0);
    while (atomic_load(&ready) == 0) {
        (void)sched_yield();
    }
    NEED(pthread_kill(thread, SIGUSR1) == 0);
    NEED(pthread_join(thread, &slept) == 0);
    const int taken = take_came();
    NEED(taken == 1 ? pthread_equal(handled_by, thread) : slept != NULL);
}

static void *wait_for_one(void *set)
{
    int signal = 0;
    NEED(sigwait(set, &signal) == 0 && signal == SIGTERM);
    return NULL;
}

static void use_wait(void)
{
    pthread_t thread;
    sigset_t one;
    siginfo_t info;
    const struct timespec second = {.tv_sec = 1};
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGTERM) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0);
    NEED(sigtimedwait(&one, &info, &second) == -1 && errno == EAGAIN);
    NEED(pthread_create(&thread, NULL, wait_for_one, &one) == 0);
    NEED(kill(getpid(), SIGTERM) == 0);
    NEED(pthread_join(thread, NULL) == 0);
    NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0);
}

/* Of those that are queued, each comes, in their order; of the others, one. */
static void use_queue(void)
{
    sigset_t both;
    siginfo_t info;
    const struct timespec second = {.tv_sec = 1};
    NEED(sigemptyset(&both) == 0 && sigaddset(&both, SIGUSR2) == 0 &&
         sigaddset(&both, SIGRTMIN) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, &both, NULL) == 0);
    for (int i = 1; i <= 3; i++) {
        NEED(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
        NEED(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = i}) == 0);
    }
    NEED(sigwaitinfo(&both, &info) == SIGUSR2 && info.si_value.sival_int == 1);
    for (int i = 1; i <= 3; i++) {
        NEED(sigwaitinfo(&both, &info) == SIGRTMIN && info.si_value.sival_int == i);
    }
    NEED(sigtimedwait(&both, &info, &second) == -1 && errno == EAGAIN);
    NEED(pthread_sigmask(SIG_UNBLOCK, &both, NULL) == 0);
}

static void *wait_for_value(void *set)
{
    siginfo_t info;
    NEED(sigwaitinfo(set, &info) == SIGUSR2);
    return (void *)(intptr_t)info.si_value.sival_int;
}

/* Two that have the same signal sent to them have each its own value. What was sent to the process
 * before there were others is for them too. */
static void use_values(void)
{
    pthread_t threads[2];
    sigset_t one;
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGUSR2) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        NEED(pthread_create(&threads[i], NULL, wait_for_value, &one) == 0);
    }
    for (int i = 0; i < 2; i++) {
        NEED(pthread_sigqueue(threads[i], SIGUSR2, (union sigval){.sival_int = i + 1}) == 0);
    }
    for (int i = 0; i < 2; i++) {
        void *result = NULL;
        NEED(pthread_join(threads[i], &result) == 0 && (intptr_t)result == i + 1);
    }
    NEED(kill(getpid(), SIGUSR2) == 0);
    NEED(pthread_create(&threads[0], NULL, wait_for_value, &one) == 0);
    NEED(pthread_join(threads[0], NULL) == 0);
    NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0);
}

static int64_t now_ms(void)
{
    struct timespec now;
    NEED(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Kept off until it is waited for: it may come at any moment. */
static void use_alarm(void)
{
    sigset_t one;
    sigset_t none;
    NEED(sigemptyset(&none) == 0 && sigemptyset(&one) == 0 && sigaddset(&one, SIGALRM) == 0);
    NEED(sigprocmask(SIG_BLOCK, &one, NULL) == 0);
    set(SIGALRM, count, 0);
    const int64_t begun = now_ms();
    NEED(alarm(5) == 0);
    NEED(sigsuspend(&none) == -1 && errno == EINTR && take_came() == 1);
    NEED(now_ms() >= begun + 5000);
    const struct itimerval often = {.it_interval = {.tv_usec = 1000},
                                    .it_value = {.tv_usec = 1000}};
    NEED(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 1; i <= 3; i++) {
        NEED(sigsuspend(&none) == -1 && atomic_load(&came) == i);
    }
    NEED(setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL) == 0);
    NEED(sigprocmask(SIG_UNBLOCK, &one, NULL) == 0);
    (void)take_came();
}

static void use_timer(void)
{
    timer_t timer;
    sigset_t one;
    siginfo_t info;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    event.sigev_value.sival_int = 7;
    const struct itimerspec soon = {.it_value = {.tv_sec = 2}};
    struct itimerspec left;
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGUSR2) == 0);
    NEED(sigprocmask(SIG_BLOCK, &one, NULL) == 0);
    NEED(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    NEED(timer_settime(timer, 0, &soon, NULL) == 0);
    NEED(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec <= 2);
    NEED(sigwaitinfo(&one, &info) == SIGUSR2 && info.si_value.sival_int == 7);
    NEED(timer_settime(timer, 0, &soon, NULL) == 0);
    NEED(sigprocmask(SIG_UNBLOCK, &one, NULL) == 0);
    while (take_came() == 0) { /* it may come before the sleep, and does not wait for it */
        (void)sleep(1);
    }
    NEED(value == 7 && timer_delete(timer) == 0);
}

static void *make_timer(void *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    NEED(timer_create(CLOCK_MONOTONIC, &event, timer) == 0);
    return NULL;
}

/* A timer that is made where another's was is not one that its maker has already. */
static void use_timers(void)
{
    pthread_t thread;
    timer_t others;
    timer_t first;
    timer_t second;
    sigset_t one;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    const struct itimerspec once = {.it_value = {.tv_sec = 1}};
    const struct timespec minute = {.tv_sec = 60};
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGUSR1) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0);
    NEED(pthread_create(&thread, NULL, make_timer, &others) == 0);
    NEED(pthread_join(thread, NULL) == 0);
    NEED(timer_create(CLOCK_MONOTONIC, &event, &first) == 0);
    NEED(timer_settime(first, 0, &once, NULL) == 0);
    NEED(timer_delete(others) == 0);
    (void)make_timer(&second);
    NEED(sigtimedwait(&one, NULL, &minute) == SIGUSR1);
    NEED(timer_delete(first) == 0 && timer_delete(second) == 0);
    NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0);
}

static void use_descriptor(void)
{
    const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    const struct itimerspec often = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};
    uint64_t times = 0;
    uint64_t all = 0;
    NEED(fd >= 0 && timerfd_settime(fd, 0, &often, NULL) == 0);
    const int64_t begun = now_ms();
    struct pollfd awaited = {.fd = fd, .events = POLLIN};
    NEED(poll(&awaited, 1, -1) == 1);
    while (all < 3) {
        NEED(read(fd, &times, sizeof times) == sizeof times && times >= 1);
        all += times;
    }
    NEED(now_ms() >= begun + 2000);
    NEED(close(fd) == 0);
}

/* A timer is behind each of its descriptors, and gone with the last: what has its number then does
 * not hear of it, and nobody waits for it. */
static void use_descriptors(void)
{
    const int first = timerfd_create(CLOCK_MONOTONIC, 0);
    const int second = dup(first);
    const struct itimerspec often = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};
    struct itimerspec left;
    uint64_t times = 0;
    int fds[2];
    NEED(close(first) == 0 && timerfd_settime(second, 0, &often, NULL) == 0);
    NEED(read(second, &times, sizeof times) == sizeof times && times >= 1);
    NEED(timerfd_gettime(second, &left) == 0 && left.it_interval.tv_sec == 1);
    NEED(pipe(fds) == 0 && dup2(fds[1], second) == second);
    (void)sleep(3);
    struct pollfd there = {.fd = fds[0], .events = POLLIN};
    NEED(poll(&there, 1, 0) == 0);
    NEED(close(fds[0]) == 0 && close(fds[1]) == 0 && close(second) == 0);
}

static void use_pipe(void)
{
    int fds[2];
    set(SIGPIPE, count, 0);
    NEED(pipe(fds) == 0 && close(fds[0]) == 0);
    NEED(write(fds[1], "x", 1) == -1 && errno == EPIPE && take_came() == 1);
    NEED(close(fds[1]) == 0);
}

static int ends[2];

static void *interrupt(void *thread)
{
    NEED(pthread_kill(*(pthread_t *)thread, SIGUSR1) == 0);
    NEED(write(ends[1], "x", 1) == 1);
    return NULL;
}

/* A wait ends with the handler that its own mask lets in, and what was blocked is blocked again. */
static void wait_masked(int (*wait)(const sigset_t *none))
{
    pthread_t self = pthread_self();
    pthread_t thread;
    sigset_t none;
    sigset_t now;
    NEED(sigemptyset(&none) == 0);
    NEED(pthread_create(&thread, NULL, interrupt, &self) == 0);
    NEED(wait(&none) == -1 && errno == EINTR && take_came() == 1);
    NEED(pthread_join(thread, NULL) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR1) == 1);
}

static int by_pselect(const sigset_t *none)
{
    return pselect(0, NULL, NULL, NULL, NULL, none);
}

static int by_ppoll(const sigset_t *none)
{
    return ppoll(NULL, 0, NULL, none);
}

static int by_epoll(const sigset_t *none)
{
    struct epoll_event ready_one;
    const int fd = epoll_create1(0);
    const int result = epoll_pwait(fd, &ready_one, 1, -1, none);
    const int saved = errno;
    NEED(close(fd) == 0);
    errno = saved;
    return result;
}

static void use_masks(void)
{
    sigset_t one;
    set(SIGUSR1, count, SA_RESTART);
    NEED(pipe(ends) == 0);
    NEED(sigemptyset(&one) == 0 && sigaddset(&one, SIGUSR1) == 0);
    NEED(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0);
    wait_masked(by_pselect);
    wait_masked(by_ppoll);
    wait_masked(by_epoll);
    NEED(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0);
    NEED(close(ends[0]) == 0 && close(ends[1]) == 0);
}

/* A read may end with a handler, unless that lets calls go on; one that gives up says so. */
static void use_read(int flags)
{
    pthread_t self = pthread_self();
    pthread_t thread;
    char byte = 0;
    const struct timeval second = {.tv_sec = 1};
    set(SIGUSR1, count, flags);
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    NEED(pthread_create(&thread, NULL, interrupt, &self) == 0);
    ssize_t got = read(ends[0], &byte, 1);
    NEED(got == 1 || (errno == EINTR && flags == 0));
    got = got == 1 ? 1 : read(ends[0], &byte, 1);
    NEED(got == 1 && byte == 'x' && pthread_join(thread, NULL) == 0);
    while (atomic_load(&came) == 0) {
        (void)sched_yield();
    }
    NEED(take_came() == 1);
    NEED(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) == 0);
    errno = 0;
    NEED(recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN);
    NEED(close(ends[0]) == 0 && close(ends[1]) == 0);
}

int main(void)
{
    use_raise();
    use_jump();
    use_jump_back();
    use_thread();
    use_wait();
    use_queue();
    use_values();
    use_alarm();
    use_timer();
    use_timers();
    use_descriptor();
    use_descriptors();
    use_pipe();
    use_masks();
    use_read(0);
    use_read(SA_RESTART);
    return 0;
}
