/* Timers that make a descriptor ready or send a signal, on virtual time. */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/timers.h"
#include "runtime/shared/raw_syscall.h"

enum { SECOND_NS = 1000000000, US_NS = 1000 };

static int fail(int reason)
{
    errno = reason;
    return -1;
}

static bool is_span(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND_NS;
}

/* Descriptors: an event counter, to which each time is added. */

RT_EXPORT int timerfd_create(int clock, int flags)
{
    _Static_assert((int)TFD_NONBLOCK == (int)EFD_NONBLOCK, "flags mean the same");
    _Static_assert((int)TFD_CLOEXEC == (int)EFD_CLOEXEC, "flags mean the same");
    if (!control_is_on) {
        return (int)sys(SYS_timerfd_create, clock, flags);
    }
    state_take_number(RT_PLACE);
    const int fd = (int)sys(SYS_eventfd2, 0L, flags);
    if (fd < 0) {
        return fd;
    }
    end_made(fd, CONTROL_TIMERFD, RT_PLACE);
    const struct object object = end_object(fd, false);
    struct timer *t = end_of(fd) == NULL ? NULL : timer_make(&object);
    if (t == NULL) {
        (void)close(fd);
        return fail(EMFILE);
    }
    t->clock = clock;
    t->end = end_of(fd);
    return fd;
}

RT_EXPORT int timerfd_gettime(int fd, struct itimerspec *left)
{
    if (!control_is_on) {
        return (int)sys(SYS_timerfd_gettime, fd, left);
    }
    const struct timer *t = timer_behind(end_of(fd));
    if (t == NULL) {
        return fail(EINVAL);
    }
    *left = timer_left(t);
    return 0;
}

RT_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value,
                              struct itimerspec *before)
{
    if (!control_is_on) {
        return (int)sys(SYS_timerfd_settime, fd, flags, value, before);
    }
    struct timer *t = timer_behind(end_of(fd));
    if (t == NULL || !is_span(&value->it_value) || !is_span(&value->it_interval)) {
        return fail(EINVAL);
    }
    if (before != NULL) {
        *before = timer_left(t);
    }
    end_use(fd, RT_PLACE);
    end_sets(fd, RT_PLACE);
    timer_set(t, (flags & TFD_TIMER_ABSTIME) != 0 ? TIMER_ABSTIME : 0, value, RT_PLACE);
    struct pollfd counted = {.fd = fd, .events = POLLIN};
    uint64_t count = 0;
    if (sys_poll(&counted, 1, 0) > 0) { /* times that nobody read are forgotten */
        (void)sys(SYS_read, fd, &count, (long)sizeof count);
    }
    return 0;
}

/* Signals */

/* Not so of one that runs a function in a new thread each time, nor on a clock of processor time:
 * no such time passes. */
static bool is_modelled(clockid_t clock, const struct sigevent *event)
{
    const bool is_of_processor = clock == CLOCK_PROCESS_CPUTIME_ID ||
                                 clock == CLOCK_THREAD_CPUTIME_ID || clock < 0; /* of another */
    return !is_of_processor && (event == NULL || event->sigev_notify != SIGEV_THREAD);
}

RT_EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *made)
{
    if (!control_is_on) {
        int id = 0;
        const int result = (int)sys(SYS_timer_create, clock, event, &id);
        *made = (timer_t)(intptr_t)id; /* as libc has it */
        return result;
    }
    if (!is_modelled(clock, event)) {
        control_outside("timer_create");
        return fail(ENOTSUP);
    }
    struct timer *t = timer_make(NULL);
    if (t == NULL) {
        return fail(EAGAIN);
    }
    t->clock = clock;
    t->info.si_code = SI_TIMER;
    t->info.si_timerid = (int)timer_number(t);
    t->info.si_signo = event == NULL                       ? SIGALRM
                       : event->sigev_notify == SIGEV_NONE ? 0
                                                           : event->sigev_signo;
    if (event != NULL) {
        t->info.si_value = event->sigev_value;
    }
    if (event != NULL && event->sigev_notify == SIGEV_THREAD_ID) {
        t->target = (uint32_t)(event->_sigev_un._tid - getpid()) % CONTROL_TASKS_MAX;
    }
    const uintptr_t number = timer_number(t);
    memcpy(made, &number, sizeof number);
    return 0;
}

static struct timer *timer_of(timer_t made)
{
    struct timer *t = timer_numbered((uintptr_t)made);
    errno = t == NULL ? EINVAL : errno;
    return t;
}

RT_EXPORT int timer_settime(timer_t made, int flags, const struct itimerspec *value,
                            struct itimerspec *before)
{
    if (!control_is_on) {
        return (int)sys(SYS_timer_settime, (intptr_t)made, flags, value, before);
    }
    struct timer *t = timer_of(made);
    if (t == NULL || !is_span(&value->it_value) || !is_span(&value->it_interval)) {
        return fail(EINVAL);
    }
    if (before != NULL) {
        *before = timer_left(t);
    }
    timer_set(t, flags, value, RT_PLACE);
    return 0;
}

RT_EXPORT int timer_gettime(timer_t made, struct itimerspec *left)
{
    if (!control_is_on) {
        return (int)sys(SYS_timer_gettime, (intptr_t)made, left);
    }
    const struct timer *t = timer_of(made);
    if (t == NULL) {
        return -1;
    }
    *left = timer_left(t);
    return 0;
}

RT_EXPORT int timer_getoverrun(timer_t made)
{
    if (!control_is_on) {
        return (int)sys(SYS_timer_getoverrun, (intptr_t)made);
    }
    return timer_of(made) == NULL ? -1 : 0;
}

RT_EXPORT int timer_delete(timer_t made)
{
    if (!control_is_on) {
        return (int)sys(SYS_timer_delete, (intptr_t)made);
    }
    struct timer *t = timer_of(made);
    if (t == NULL) {
        return -1;
    }
    timer_drop(t);
    return 0;
}

/* The one timer that a process has by itself. */
static struct timer *interval_timer(void)
{
    static uint64_t begun; /* for this plan */
    static uintptr_t number;
    if (begun != control->plan.number || timer_numbered(number) == NULL) {
        struct timer *t = timer_make(NULL);
        if (t == NULL) {
            return NULL;
        }
        t->info.si_signo = SIGALRM;
        t->info.si_code = SI_KERNEL;
        number = timer_number(t);
        begun = control->plan.number;
    }
    return timer_numbered(number);
}

static struct timespec finer(const struct timeval *t)
{
    return (struct timespec){.tv_sec = t->tv_sec, .tv_nsec = t->tv_usec * (long)US_NS};
}

static struct itimerval coarser(const struct itimerspec *t)
{
    return (struct itimerval){
        .it_interval = {.tv_sec = t->it_interval.tv_sec, .tv_usec = t->it_interval.tv_nsec / US_NS},
        .it_value = {.tv_sec = t->it_value.tv_sec, .tv_usec = t->it_value.tv_nsec / US_NS}};
}

/* Timers of processor time are not there: no such time passes. */
RT_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                        struct itimerval *restrict before)
{
    if (!control_is_on || which != ITIMER_REAL) {
        control_outside("setitimer");
        return (int)sys(SYS_setitimer, (long)which, value, before);
    }
    struct timer *t = interval_timer();
    const struct itimerspec fine = {.it_interval = finer(&value->it_interval),
                                    .it_value = finer(&value->it_value)};
    if (t == NULL || !is_span(&fine.it_value) || !is_span(&fine.it_interval)) {
        return fail(EINVAL);
    }
    if (before != NULL) {
        const struct itimerspec left = timer_left(t);
        *before = coarser(&left);
    }
    timer_set(t, 0, &fine, RT_PLACE);
    return 0;
}

RT_EXPORT int getitimer(__itimer_which_t which, struct itimerval *left)
{
    if (!control_is_on || which != ITIMER_REAL) {
        return (int)sys(SYS_getitimer, (long)which, left);
    }
    const struct timer *t = interval_timer();
    if (t == NULL) {
        return fail(EINVAL);
    }
    const struct itimerspec fine = timer_left(t);
    *left = coarser(&fine);
    return 0;
}

RT_EXPORT unsigned alarm(unsigned seconds)
{
    struct itimerval before = {0};
    const struct itimerval value = {.it_value = {.tv_sec = seconds}};
    (void)setitimer(ITIMER_REAL, &value, &before);
    return (unsigned)before.it_value.tv_sec + (before.it_value.tv_usec != 0);
}
