/* Hooks of signals. The recorder installs its own handler in front of the program's; it records the
 * beginning and the end. Events in between belong to the interrupted thread. A handler left by
 * longjmp has no end.
 *
 * Sending a signal happens before its handler, and before the return of a call that waits for it.
 * The target is a thread (pthread_kill), a process (kill, a timer) or a group of processes: an
 * object each, and one for each signal. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/hooks/signal_edges.h"
#include "runtime/record/hooks/sync_shared.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/real.h"

typedef void plain_handler(int number);
typedef void info_handler(int number, siginfo_t *info, void *context);

/* The program's own handlers; NULL where it has none. */
static _Atomic uintptr_t handlers[NSIG];

static void record(enum event_kind kind, int number, uintptr_t place)
{
    (void)rt_record((struct rt_event){
        .kind = kind, .has_value = true, .value = number, .place = (const void *)place});
}

/* ---- senders and receivers ---- */

enum { TARGETS_MAX = 4096, OBJECT_SIZE = 8 };

/* The targets of a signal. */
struct target {
    uint32_t pid;   /* 0: a group of processes */
    int64_t thread; /* number of the task; -1: any of the process */
};

/* Signal 0 stands for timers whose signal is not known. */
static const void *object_of(struct target target, int number)
{
    const size_t size = (size_t)(TARGETS_MAX + 1) * NSIG * OBJECT_SIZE;
    const char *start = shared_stand_in("signals", target.pid, size);
    const size_t row = target.thread < 0 ? 0 : 1 + (size_t)target.thread % TARGETS_MAX;
    return start == NULL ? NULL : start + (row * NSIG + (size_t)number) * OBJECT_SIZE;
}

/* Only a program that reports accesses has use for these orders. */
static struct rt_mark order(enum event_kind kind, struct target target, int number,
                            const void *place)
{
    const int saved = errno;
    struct rt_mark mark = {0};
    const bool is_wanted = access_is_told() && rt_is_recording();
    const void *object =
        is_wanted && number >= 0 && number < NSIG ? object_of(target, number) : NULL;
    if (object != NULL) {
        /* A timer that is armed once may fire often. */
        mark = rt_record((struct rt_event){.kind = kind,
                                           .mode = number == 0 ? MODE_UNSAID : ANNOTATION_ANY,
                                           .object = object,
                                           .place = place});
    }
    errno = saved;
    return mark;
}

static struct rt_mark sends(struct target target, int number, const void *place)
{
    return number == 0 ? (struct rt_mark){0} : order(EVENT_HAPPENS_BEFORE, target, number, place);
}

static struct target process_target(pid_t pid)
{
    return (struct target){.pid = pid > 0 ? (uint32_t)pid : 0, .thread = -1};
}

/* A thread whose task is not known (the first one) is any of the process. */
static struct target thread_target(pthread_t thread)
{
    return (struct target){.pid = rt_own_pid(), .thread = thread_number(thread)};
}

static _Atomic bool has_timers;

void signalled(int number, const void *place)
{
    const uint32_t pid = rt_own_pid();
    (void)order(EVENT_HAPPENS_AFTER, (struct target){pid, rt_self.number}, number, place);
    (void)order(EVENT_HAPPENS_AFTER, (struct target){pid, -1}, number, place);
    (void)order(EVENT_HAPPENS_AFTER, (struct target){0, -1}, number, place);
    if (atomic_load_explicit(&has_timers, memory_order_relaxed)) {
        (void)order(EVENT_HAPPENS_AFTER, (struct target){pid, -1}, 0, place);
    }
}

RT_EXPORT int pthread_kill(pthread_t thread, int number)
{
    const struct rt_mark mark = sends(thread_target(thread), number, RT_PLACE);
    return rt_amend_done(mark, REAL(pthread_kill)(thread, number));
}

RT_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    const struct rt_mark mark = sends(thread_target(thread), number, RT_PLACE);
    return rt_amend_done(mark, REAL(pthread_sigqueue)(thread, number, value));
}

RT_EXPORT int kill(pid_t pid, int number)
{
    const struct rt_mark mark = sends(process_target(pid), number, RT_PLACE);
    return rt_amend_done(mark, REAL(kill)(pid, number));
}

RT_EXPORT int killpg(pid_t group, int number)
{
    const struct rt_mark mark = sends(process_target(0), number, RT_PLACE);
    return rt_amend_done(mark, REAL(killpg)(group, number));
}

RT_EXPORT int sigqueue(pid_t pid, int number, const union sigval value)
{
    const struct rt_mark mark = sends(process_target(pid), number, RT_PLACE);
    return rt_amend_done(mark, REAL(sigqueue)(pid, number, value));
}

RT_EXPORT int tgkill(pid_t pid, pid_t thread, int number)
{
    const struct rt_mark mark = sends(process_target(pid), number, RT_PLACE);
    return rt_amend_done(mark, REAL(tgkill)(pid, thread, number));
}

void signalled_as_thread(void)
{
    (void)order(EVENT_HAPPENS_AFTER, (struct target){rt_own_pid(), -1}, 0, NULL);
}

void signalled_by_descriptor(const void *bytes, size_t size, const void *place)
{
    const struct signalfd_siginfo *list = bytes;
    for (size_t i = 0; i < size / sizeof *list; i++) {
        signalled((int)list[i].ssi_signo, place);
    }
}

/* Timers by descriptor: an object for each number. */
static const void *timer_of(int fd)
{
    const char *start =
        access_is_told() && rt_is_recording()
            ? shared_stand_in("timerfd", rt_own_pid(), (size_t)TARGETS_MAX * OBJECT_SIZE)
            : NULL;
    return start == NULL ? NULL : start + (size_t)fd % TARGETS_MAX * OBJECT_SIZE;
}

void signalled_by_timer(int fd, const void *place)
{
    const void *object = timer_of(fd);
    if (object != NULL) {
        sync_record(EVENT_HAPPENS_AFTER, 0, object, place);
    }
}

RT_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *wanted,
                              struct itimerspec *before)
{
    const void *object = timer_of(fd);
    if (object != NULL) {
        sync_record(EVENT_HAPPENS_BEFORE, 0, object, RT_PLACE);
    }
    return REAL(timerfd_settime)(fd, flags, wanted, before);
}

/* Arming a timer comes before its signal. */
static void arms(int number, const void *place)
{
    atomic_store_explicit(&has_timers, true, memory_order_relaxed);
    (void)order(EVENT_HAPPENS_BEFORE, (struct target){rt_own_pid(), -1}, number, place);
}

RT_EXPORT unsigned alarm(unsigned seconds)
{
    arms(SIGALRM, RT_PLACE);
    return REAL(alarm)(seconds);
}

RT_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *wanted,
                        struct itimerval *before)
{
    arms(which == ITIMER_REAL ? SIGALRM : which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF, RT_PLACE);
    return REAL(setitimer)(which, wanted, before);
}

RT_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *wanted,
                            struct itimerspec *before)
{
    arms(0, RT_PLACE);
    return REAL(timer_settime)(timer, flags, wanted, before);
}

RT_EXPORT int sigwait(const sigset_t *set, int *number)
{
    const int result = REAL(sigwait)(set, number);
    if (result == 0) {
        signalled(*number, RT_CALLER);
    }
    return result;
}

static int awaited(int number, const void *place)
{
    if (number > 0) {
        signalled(number, place);
    }
    return number;
}

RT_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return awaited(REAL(sigwaitinfo)(set, info), RT_CALLER);
}

RT_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *most)
{
    return awaited(REAL(sigtimedwait)(set, info, most), RT_CALLER);
}

/* ---- handlers ---- */

static void on_signal(int number)
{
    const uintptr_t handler = atomic_load(&handlers[number]);
    if (handler != 0) {
        record(EVENT_INTERRUPT, number, handler);
        signalled(number, (const void *)handler);
        ((plain_handler *)handler)(number);
        record(EVENT_INTERRUPT_END, number, handler);
    }
}

static void on_signal_info(int number, siginfo_t *info, void *context)
{
    const uintptr_t handler = atomic_load(&handlers[number]);
    if (handler != 0) {
        record(EVENT_INTERRUPT, number, handler);
        signalled(number, (const void *)handler);
        ((info_handler *)handler)(number, info, context);
        record(EVENT_INTERRUPT_END, number, handler);
    }
}

static bool is_function(uintptr_t handler)
{
    return handler != (uintptr_t)SIG_DFL && handler != (uintptr_t)SIG_IGN &&
           handler != (uintptr_t)SIG_ERR && handler != (uintptr_t)SIG_HOLD;
}

static bool is_ours(uintptr_t handler)
{
    return handler == (uintptr_t)on_signal || handler == (uintptr_t)on_signal_info;
}

static bool is_watched(int number)
{
    return rt_is_on && number > 0 && number < NSIG;
}

/* The new handler is known before it can be called. */
RT_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    if (!is_watched(number)) {
        return REAL(sigaction)(number, action, before);
    }
    const uintptr_t known = atomic_load(&handlers[number]);
    struct sigaction changed;
    if (action != NULL) {
        changed = *action;
        const uintptr_t wanted = (uintptr_t)action->sa_sigaction;
        if (is_function(wanted) && !is_ours(wanted)) {
            atomic_store(&handlers[number], wanted);
            if ((action->sa_flags & SA_SIGINFO) != 0) {
                changed.sa_sigaction = on_signal_info;
            } else {
                changed.sa_handler = on_signal;
            }
        }
    }
    const int result = REAL(sigaction)(number, action == NULL ? NULL : &changed, before);
    if (result != 0) {
        atomic_store(&handlers[number], known);
    } else if (before != NULL && is_ours((uintptr_t)before->sa_sigaction)) {
        before->sa_sigaction = (info_handler *)known;
    }
    return result;
}

/* The older functions that set a handler (signal, bsd_signal ...). They differ in the flags that
 * they set. */
static plain_handler *set_handler(plain_handler *(*real)(int, plain_handler *), int number,
                                  plain_handler *wanted)
{
    if (!is_watched(number)) {
        return real(number, wanted);
    }
    const uintptr_t known = atomic_load(&handlers[number]);
    const bool is_changed = is_function((uintptr_t)wanted) && !is_ours((uintptr_t)wanted);
    if (is_changed) {
        atomic_store(&handlers[number], (uintptr_t)wanted);
    }
    plain_handler *before = real(number, is_changed ? on_signal : wanted);
    if (before == SIG_ERR) {
        atomic_store(&handlers[number], known);
    }
    return is_ours((uintptr_t)before) ? (plain_handler *)known : before;
}

RT_EXPORT plain_handler *signal(int number, plain_handler *handler)
{
    return set_handler(REAL(signal), number, handler);
}

RT_EXPORT plain_handler *ssignal(int number, plain_handler *handler)
{
    return set_handler(REAL(signal), number, handler);
}

RT_EXPORT plain_handler *sysv_signal(int number, plain_handler *handler)
{
    return set_handler(REAL(sysv_signal), number, handler);
}

RT_EXPORT plain_handler *__sysv_signal(int number, plain_handler *handler)
{
    return set_handler(REAL(sysv_signal), number, handler);
}
