/* Signals that the program sends to itself, blocks, waits for and handles. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/hooks/mutex.h"
#include "runtime/control/model/call_tree.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/pending_signals.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/task.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/real.h"

enum { SECOND_NS = 1000000000 };

/* What is done with them */

RT_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    if (control == NULL) {
        return libc.sigaction(signal, action, before);
    }
    if (action != NULL) {
        state_touch_all(RT_PLACE); /* who is sent the signal later does something else */
    } else {
        state_touch(CONTROL_PROCESS, false, RT_PLACE);
    }
    return signals_act(signal, action, before);
}

static sighandler_t set_handler(int signal, sighandler_t handler, int flags)
{
    struct sigaction before;
    const struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    return sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

RT_EXPORT sighandler_t signal(int signal, sighandler_t handler)
{
    return set_handler(signal, handler, SA_RESTART);
}

RT_EXPORT sighandler_t sysv_signal(int signal, sighandler_t handler)
{
    return set_handler(signal, handler, (int)SA_RESETHAND | SA_NODEFER);
}

/* Sending */

static bool is_signal(int signal)
{
    if (signal >= 0 && signal < NSIG) {
        return true;
    }
    errno = EINVAL;
    return false;
}

/* A task is named by the one who sends; the process is everybody's. */
static void take_sending(const struct task *t, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_INTERRUPT,
                                   .traced = EVENT_CALL,
                                   .is_of_task = t != NULL,
                                   .is_of_all = t == NULL,
                                   .peer = t == NULL ? 0 : t->number,
                                   .writes = true,
                                   .place = place});
}

/* Who sends to itself has it before the call returns, where it does not block it. */
static int send_to(struct task *t, siginfo_t *info, const void *place)
{
    info->si_pid = getpid();
    take_sending(t, place);
    if (info->si_signo == 0) {
        return 0;
    }
    if (info->si_signo == SIGKILL) {
        process_finish(SIGKILL);
    }
    signals_order(EVENT_HAPPENS_BEFORE, t, info->si_signo, place);
    const bool is_own = t == control_self || (t == NULL && !task_has_others());
    return (is_own ? signals_raise(t, info) : signals_post(t, info)) ? 0 : EAGAIN;
}

/* The same for calls that say in errno what went wrong. */
static int send_or_fail(struct task *t, siginfo_t *info, const void *place)
{
    const int result = send_to(t, info, place);
    errno = result == 0 ? errno : result;
    return result == 0 ? 0 : -1;
}

static bool is_own_process(pid_t pid)
{
    return pid == getpid();
}

/* The process that started this one is clew's, or clew itself: no signal ends it. */
static int send_outside(pid_t pid, int signal)
{
    if (signal != 0) {
        control_outside("kill");
    }
    const bool is_parent = control_is_on && pid == PID_PARENT;
    return (int)sys(SYS_kill, pid_real(pid), is_parent ? 0 : signal);
}

/* To another process of this run; itself cannot be meant. */
static void send_to_process(struct process *p, const siginfo_t *info)
{
    if (p->state != PROCESS_LIVE || info->si_signo == 0) {
        return;
    }
    if (info->si_signo == SIGKILL) {
        process_kill(p, SIGKILL);
    } else if (info->si_signo == SIGSTOP) {
        control_outside("kill (SIGSTOP)");
    } else {
        (void)signals_post_to(p, info);
    }
}

/* Whether the id of kill() means the process. */
static bool is_meant(const struct process *p, pid_t id)
{
    if (p->state != PROCESS_LIVE && p->state != PROCESS_ZOMBIE) {
        return false;
    }
    return id > 0     ? p->id == id
           : id == 0  ? p->group == process_self->group
           : id == -1 ? p != process_self
                      : p->group == -id;
}

/* The caller itself comes last: it may not come back. */
static int send_to_processes(pid_t id, siginfo_t *info, const void *place)
{
    bool is_own = false;
    uint32_t count = 0;
    take_sending(NULL, place);
    info->si_pid = getpid();
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        struct process *p = &run_state->processes[i];
        if (is_meant(p, id)) {
            count++;
            is_own = is_own || p == process_self;
            if (p != process_self) {
                send_to_process(p, info);
            }
        }
    }
    if (count == 0) {
        errno = ESRCH;
        return -1;
    }
    return is_own ? send_or_fail(NULL, info, place) : 0;
}

/* Ids of processes that are not controlled, and of whoever started this one. */
static bool is_outside(pid_t id)
{
    return id == PID_PARENT || (id > 1 && process_known_as(id) == NULL && process_has_children());
}

RT_EXPORT int kill(pid_t pid, int signal)
{
    if (!control_is_on || is_outside(pid)) {
        return send_outside(pid, signal);
    }
    if (!is_signal(signal)) {
        return -1;
    }
    siginfo_t info = {.si_signo = signal, .si_code = SI_USER};
    return is_own_process(pid) && signal != SIGKILL ? send_or_fail(NULL, &info, RT_PLACE)
                                                    : send_to_processes(pid, &info, RT_PLACE);
}

RT_EXPORT int killpg(pid_t group, int signal)
{
    return kill(-group, signal);
}

RT_EXPORT int raise(int signal)
{
    if (!control_is_on) {
        return (int)sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), signal);
    }
    if (!is_signal(signal)) {
        return -1;
    }
    return send_or_fail(control_self, &(siginfo_t){.si_signo = signal, .si_code = SI_TKILL},
                        RT_PLACE);
}

static int send_to_thread(pthread_t thread, siginfo_t *info, const void *place)
{
    struct task *t = task_of(thread);
    if (t == NULL || t->state != TASK_LIVE) { /* it could have come before the thread's end */
        state_touch_all(place);
        t = task_of(thread);
    }
    if (t == NULL) {
        return ESRCH;
    }
    if (info->si_signo < 0 || info->si_signo >= NSIG) {
        return EINVAL;
    }
    return t->state == TASK_LIVE ? send_to(t, info, place) : 0;
}

RT_EXPORT int pthread_kill(pthread_t thread, int signal)
{
    siginfo_t info = {.si_signo = signal, .si_code = SI_TKILL};
    return control_is_on ? send_to_thread(thread, &info, RT_PLACE)
                         : libc.pthread_kill(thread, signal);
}

RT_EXPORT int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
    info.si_value = value;
    return control_is_on ? send_to_thread(thread, &info, RT_PLACE) : ESRCH;
}

RT_EXPORT int sigqueue(pid_t pid, int signal, const union sigval value)
{
    if (!control_is_on || is_outside(pid)) {
        control_outside("sigqueue");
        siginfo_t real = {.si_signo = signal, .si_code = SI_QUEUE};
        real.si_pid = (pid_t)sys(SYS_getpid);
        real.si_value = value;
        return (int)sys(SYS_rt_sigqueueinfo, pid_real(pid), signal, &real);
    }
    if (!is_signal(signal)) {
        return -1;
    }
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
    info.si_value = value;
    return is_own_process(pid) ? send_or_fail(NULL, &info, RT_PLACE)
                               : send_to_processes(pid, &info, RT_PLACE);
}

/* libc itself knows threads by other numbers; it only sends to the caller. */
static struct task *task_numbered(pid_t thread)
{
    for (uint32_t i = 0; i < task_live_count; i++) {
        const struct task *t = task_live[i];
        const bool is_first = t->number == process_self->first;
        if (t->process == process_self->number &&
            thread == (is_first ? process_self->id : PID_FIRST + (pid_t)t->number)) {
            return task_live[i];
        }
    }
    return control_self;
}

RT_EXPORT int tgkill(pid_t process, pid_t thread, int signal)
{
    if (!control_is_on || process != getpid()) {
        return (int)sys(SYS_tgkill, pid_real(process), pid_real(thread), signal);
    }
    if (!is_signal(signal)) {
        return -1;
    }
    return send_or_fail(task_numbered(thread),
                        &(siginfo_t){.si_signo = signal, .si_code = SI_TKILL}, RT_PLACE);
}

/* Blocking */

RT_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    struct task *me = control_self;
    if (!control_is_on) {
        return sys(SYS_rt_sigprocmask, how, set, before, (long)_NSIG / 8) == 0 ? 0 : errno;
    }
    if (before != NULL) { /* the kernel's sets are one word long */
        const uint64_t blocked = me->signals_blocked;
        memcpy(before, &blocked, sizeof blocked);
    }
    if (set == NULL) {
        return 0;
    }
    const uint64_t given = signals_of(set);
    switch (how) {
    case SIG_BLOCK: me->signals_blocked |= given; break;
    case SIG_UNBLOCK: me->signals_blocked &= ~given; break;
    case SIG_SETMASK: me->signals_blocked = given; break;
    default: return EINVAL;
    }
    signals_take_all(); /* what was kept is taken before the call returns */
    return 0;
}

RT_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    const int result = pthread_sigmask(how, set, before);
    if (result != 0) {
        errno = result;
        return -1;
    }
    return 0;
}

RT_EXPORT int sigpending(sigset_t *set)
{
    if (!control_is_on) {
        return (int)sys(SYS_rt_sigpending, set, (long)_NSIG / 8);
    }
    signals_to(signals_pending(control_self) & control_self->signals_blocked, set);
    return 0;
}

/* Waiting */

/* False when the deadline came, or another signal was taken: errno says. */
static bool await(uint64_t set, uint64_t deadline, const void *place)
{
    struct task *me = control_self;
    const struct object object = object_of_kind(CONTROL_SIGNAL, 0, 0);
    me->signals_awaited = set;
    const bool is_there = sched_take(&(struct act){.kind = EVENT_WAIT_END,
                                                   .known = &object,
                                                   .is_of_all = true,
                                                   .is_untraced = true,
                                                   .is_unsure = true,
                                                   .wait = WAIT_SIGNAL,
                                                   .deadline = deadline,
                                                   .interruption = INTERRUPTED_ALWAYS,
                                                   .is_cancellable = true,
                                                   .place = place});
    me->signals_awaited = 0;
    task_test_cancel();
    if (!is_there) {
        errno = sched_is_interrupted() ? EINTR : EAGAIN;
    }
    return is_there;
}

RT_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *most)
{
    if (!control_is_on) {
        return (int)sys(SYS_rt_sigtimedwait, set, info, most, (long)_NSIG / 8);
    }
    const uint64_t deadline = most == NULL ? 0
                                           : control_clock + (uint64_t)most->tv_sec * SECOND_NS +
                                                 (uint64_t)most->tv_nsec + 1;
    if (!await(signals_of(set), deadline, RT_PLACE)) {
        return -1;
    }
    siginfo_t taken;
    const int signal = signals_first(control_self, signals_of(set), &taken);
    control_report(EVENT_READY, "sigwait", 1, RT_PLACE);
    if (info != NULL) {
        *info = taken;
    }
    return signal;
}

RT_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return sigtimedwait(set, info, NULL);
}

RT_EXPORT int sigwait(const sigset_t *set, int *signal)
{
    int taken = -1;
    do {
        taken = sigtimedwait(set, NULL, NULL);
    } while (taken < 0 && errno == EINTR);
    *signal = taken;
    return taken < 0 ? errno : 0;
}

/* Until a handler has run. */
static int suspend(const void *place)
{
    (void)await(0, 0, place);
    errno = EINTR;
    return -1;
}

/* The call is a step and the wait is another: a handler may run before the wait begins, and a
 * signal that the program has looked for before the call is lost then. */
RT_EXPORT int pause(void)
{
    if (!control_is_on) {
        return (int)sys(SYS_ppoll, NULL, 0L, NULL, NULL, 0L);
    }
    const struct object object = object_of_kind(CONTROL_SIGNAL, 0, 0);
    (void)sched_take(&(struct act){.kind = EVENT_WAIT_BEGIN,
                                   .known = &object,
                                   .is_untraced = true,
                                   .is_unsure = true,
                                   .writes = true,
                                   .place = RT_PLACE});
    return suspend(RT_PLACE);
}

RT_EXPORT int sigsuspend(const sigset_t *mask)
{
    struct task *me = control_self;
    if (!control_is_on) {
        return (int)sys(SYS_rt_sigsuspend, mask, (long)_NSIG / 8);
    }
    const uint64_t before = me->signals_blocked;
    me->signals_blocked = signals_of(mask);
    const int result = suspend(RT_PLACE);
    me->signals_blocked = before;
    return result;
}

/* Signals that wait are with control, where the kernel does not see them: a descriptor for them
 * would never be ready. */
RT_EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
    if (!control_is_on) {
        return (int)sys(SYS_signalfd4, fd, mask, (long)_NSIG / 8, flags);
    }
    control_outside("signalfd");
    errno = ENOSYS;
    return -1;
}

/* Jumps: what is blocked where one is prepared is blocked again where it ends. It goes with what
 * libc keeps, behind what the kernel writes there, whose sets are one word long. */
enum { KEPT_BLOCKED = 1, KEPT_MARK = 2 };
static const unsigned long kept_mark = 0x6a756d70;

#ifdef __x86_64__

/* The function that goes on with it. */
__attribute__((used)) void *signals_prepare_jump(struct __jmp_buf_tag *where, int wants_mask);
void *signals_prepare_jump(struct __jmp_buf_tag *where, int wants_mask)
{
    void *real = NULL;
    if (control_is_on && wants_mask != 0) {
        where->__saved_mask.__val[KEPT_BLOCKED] = control_self->signals_blocked;
        where->__saved_mask.__val[KEPT_MARK] = kept_mark;
    }
    memcpy(&real, &libc.__sigsetjmp, sizeof real);
    return real;
}

/* What comes back twice must find the stack as its caller left it. */
__attribute__((naked)) int __sigsetjmp(struct __jmp_buf_tag where[1], int wants_mask);
RT_EXPORT int __sigsetjmp(__attribute__((unused)) struct __jmp_buf_tag where[1],
                          __attribute__((unused)) int wants_mask)
{
    __asm__("push %rdi\n push %rsi\n sub $8, %rsp\n call signals_prepare_jump\n"
            "add $8, %rsp\n pop %rsi\n pop %rdi\n jmp *%rax\n");
}

#endif

/* Where nobody prepared it so, what was blocked before the handler is. */
static void leave(const struct __jmp_buf_tag *where)
{
    if (control_is_on && where->__mask_was_saved != 0) {
        const unsigned long *kept = where->__saved_mask.__val;
        control_self->signals_blocked =
            kept[KEPT_MARK] == kept_mark ? kept[KEPT_BLOCKED] : control_self->signals_before;
    }
    if (control_is_on) {
        callers_forget();
    }
}

RT_EXPORT _Noreturn void longjmp(jmp_buf where, int value)
{
    leave(where);
    REAL(longjmp)(where, value);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void _longjmp(jmp_buf where, int value)
{
    leave(where);
    REAL(_longjmp)(where, value);
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void siglongjmp(sigjmp_buf where, int value)
{
    leave(where);
    REAL(siglongjmp)(where, value);
    __builtin_unreachable();
}

/* What they become in programs built with _FORTIFY_SOURCE. */
RT_EXPORT _Noreturn void __longjmp_chk(sigjmp_buf where, int value);
RT_EXPORT _Noreturn void __longjmp_chk(sigjmp_buf where, int value)
{
    leave(where);
    REAL(__longjmp_chk)(where, value);
    __builtin_unreachable();
}
