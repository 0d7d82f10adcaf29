#include "runtime/control/model/pending_signals.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/sched/shared_segment.h"
#include "runtime/control/sched/watchdog.h"
#include "runtime/shared/raw_syscall.h"
#include "wire/must.h"

enum { SIGNALS_MAX = 64, WAITING_MAX = 256 };

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

/* Of each process, in the segment: who sends a signal looks at what its taker does with it. */
static struct own {
    struct sigaction actions[SIGNALS_MAX + 1];
    siginfo_t outer_infos[SIGNALS_MAX + 1]; /* of each, as it came last */
    _Atomic uint64_t outer;                 /* came from outside, at any moment */
    uint64_t pending;                       /* for the process */
    uint64_t of_tasks;                      /* were sent to tasks, in this run */
    uint64_t told;                          /* the kernel knows that they are handled, or ignored */
    uint32_t waiting_count;
    struct waiting {
        uint32_t task; /* that it was sent to; NOBODY: to the process */
        siginfo_t info;
    } waiting[WAITING_MAX]; /* as they were sent */
} * all;

/* What the program asked for before the first run. */
static struct sigaction *first;

static struct own *own(void)
{
    return &all[process_self->number];
}

static struct own *own_of(const struct task *t)
{
    return &all[t->process];
}

/* Faults of the processor, and the watchdog's signal, which we catch ourselves. */
static const uint64_t faults = BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) |
                               BIT(SIGTRAP) | BIT(SIGSYS) | BIT(WATCHDOG_SIGNAL);
static const uint64_t unblockable = BIT(SIGKILL) | BIT(SIGSTOP);
/* What nobody notices who has not asked for it. */
static const uint64_t harmless = BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT);

uint64_t signals_of(const sigset_t *set)
{
    uint64_t numbers = 0;
    memcpy(&numbers, set, sizeof numbers);
    return numbers & ~unblockable;
}

void signals_to(uint64_t numbers, sigset_t *set)
{
    (void)sigemptyset(set);
    memcpy(set, &numbers, sizeof numbers);
}

void signals_start(void)
{
    all = segment_take(PROCESSES_MAX * sizeof *all);
    first = rewind_exempt((SIGNALS_MAX + 1) * sizeof *first);
}

void signals_save(void)
{
    memcpy(first, own()->actions, sizeof own()->actions);
}

static void forget(struct own *o)
{
    atomic_store_explicit(&o->outer, 0, memory_order_relaxed);
    o->pending = 0;
    o->of_tasks = 0;
    o->waiting_count = 0;
}

void signals_begin(void)
{
    memcpy(own()->actions, first, sizeof own()->actions);
    forget(own());
}

void signals_inherit(const struct process *child)
{
    struct own *o = &all[child->number];
    memcpy(o->actions, own()->actions, sizeof o->actions);
    o->told = own()->told;
    forget(o);
}

void signals_exec(void)
{
    for (int signal = 1; signal <= SIGNALS_MAX; signal++) {
        struct sigaction *a = &own()->actions[signal];
        *a = (struct sigaction){.sa_handler = a->sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL};
    }
    own()->told = 0;
}

bool signals_keep_no_zombies(const struct process *parent)
{
    const struct sigaction *a = &all[parent->number].actions[SIGCHLD];
    return a->sa_handler == SIG_IGN || (a->sa_flags & SA_NOCLDWAIT) != 0;
}

/* From outside, at any moment: pending for whoever does not block it. */
static void signal_came(int signal, siginfo_t *info, void *context);

static void tell_kernel(int signal, const struct sigaction *action)
{
    struct sigaction real = *action;
    const bool has_handler = real.sa_handler != SIG_DFL && real.sa_handler != SIG_IGN;
    if (has_handler) {
        real.sa_sigaction = signal_came;
        real.sa_flags = SA_SIGINFO | SA_RESTART;
        /* libc's return from the handler is a system call, which the kernel hands back by SIGSYS:
         * a mask that blocks it, or a fault, would end the process. */
        signals_to(signals_of(&action->sa_mask) & ~faults, &real.sa_mask);
    }
    (void)libc.sigaction(signal, &real, NULL);
    own()->told |= BIT(signal);
}

void signals_tell_children(void)
{
    tell_kernel(SIGCHLD, &own()->actions[SIGCHLD]);
}

void signals_restore(void)
{
    for (int signal = 1; own()->told != 0 && signal <= SIGNALS_MAX; signal++) {
        if ((own()->told & BIT(signal)) != 0) {
            tell_kernel(signal, &first[signal]);
        }
    }
    own()->told = 0;
}

static uint64_t set_mask(uint64_t mask)
{
    uint64_t before = 0;
    (void)sys(SYS_rt_sigprocmask, (long)SIG_SETMASK, &mask, &before, (long)sizeof mask);
    return before;
}

uint64_t signals_hold(void)
{
    return set_mask(~faults);
}

void signals_release(uint64_t before)
{
    (void)set_mask(before);
}

/* The kernel's timers, and what it held off, are the parent's. */
void signals_adopt(void)
{
    must(process_self->number > 0);
    (void)set_mask(0);
}

void signals_leave(void)
{
    for (int signal = 1; signal <= SIGNALS_MAX; signal++) {
        const struct sigaction *a = &own()->actions[signal];
        if (((faults | BIT(SIGABRT)) & BIT(signal)) != 0 || a->sa_handler != SIG_DFL) {
            (void)libc.sigaction(signal, a, NULL);
        }
    }
    (void)set_mask(control_self->signals_blocked);
}

static bool is_ignored(const struct own *o, int signal)
{
    const struct sigaction *a = &o->actions[signal];
    return a->sa_handler == SIG_IGN || (a->sa_handler == SIG_DFL && (BIT(signal) & harmless) != 0);
}

/* One that is ignored from now on waits for nobody. */
static void discard(int signal)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < own()->waiting_count; i++) {
        if (own()->waiting[i].info.si_signo != signal) {
            own()->waiting[kept++] = own()->waiting[i];
        }
    }
    own()->waiting_count = kept;
    own()->pending &= ~BIT(signal);
    atomic_fetch_and_explicit(&own()->outer, ~BIT(signal), memory_order_relaxed);
    for (uint32_t i = 0; i < task_live_count; i++) {
        if (task_live[i]->process == process_self->number) {
            task_live[i]->signals_pending &= ~BIT(signal);
        }
    }
}

int signals_act(int signal, const struct sigaction *action, struct sigaction *before)
{
    if (signal < 1 || signal > SIGNALS_MAX ||
        (action != NULL && (BIT(signal) & unblockable) != 0)) {
        errno = EINVAL;
        return -1;
    }
    const struct sigaction old = own()->actions[signal];
    if (action != NULL) {
        own()->actions[signal] = *action;
        if (is_ignored(own(), signal)) {
            discard(signal);
        }
        if ((BIT(signal) & faults) == 0 && (signal != SIGCHLD || process_has_children())) {
            tell_kernel(signal, action);
        }
    }
    if (before != NULL) {
        *before = old;
    }
    return 0;
}

/* Whether anybody of the process waits for it or keeps it for later. */
static bool is_held(const struct own *o, const struct task *only, uint64_t bit)
{
    for (uint32_t i = 0; i < task_live_count; i++) {
        const struct task *t = task_live[i];
        if (own_of(t) == o && (only == NULL || t == only) &&
            ((t->signals_blocked | t->signals_awaited) & bit) != 0) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct own *o, const struct task *t, int signal)
{
    return signal >= 1 && signal <= SIGNALS_MAX &&
           (!is_ignored(o, signal) || is_held(o, t, BIT(signal)));
}

static void signal_came(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (signal == SIGCHLD && process_with_real(info->si_pid) != NULL) {
        return; /* the scheduler knows of its end */
    }
    if (control_is_on) {
        control_outside("signal");
    }
    if (control_is_on && is_wanted(own(), NULL, signal)) {
        own()->outer_infos[signal] = *info;
        atomic_fetch_or_explicit(&own()->outer, BIT(signal), memory_order_relaxed);
        sched_changed();
    }
}

/* The first that waits for the task, or for the process. */
static struct waiting *find_waiting(struct own *o, uint32_t task, int signal)
{
    for (uint32_t i = 0; i < o->waiting_count; i++) {
        struct waiting *w = &o->waiting[i];
        if (w->task == task && w->info.si_signo == signal) {
            return w;
        }
    }
    return NULL;
}

/* Signals of old wait once at most; so do those of a timer, however often it fires. */
static bool is_there_already(const struct own *o, uint32_t task, const siginfo_t *info)
{
    for (uint32_t i = 0; i < o->waiting_count; i++) {
        const struct waiting *w = &o->waiting[i];
        const bool is_of_timer = info->si_code == SI_TIMER && w->info.si_code == SI_TIMER &&
                                 info->si_timerid == w->info.si_timerid;
        if (w->task == task && w->info.si_signo == info->si_signo &&
            (info->si_signo < SIGRTMIN || is_of_timer)) {
            return true;
        }
    }
    return false;
}

/* To a task of the process, or to all of it: NULL. */
static bool post(struct own *o, struct task *t, const siginfo_t *info)
{
    const int signal = info->si_signo;
    const uint32_t task = t == NULL ? NOBODY : t->number;
    if (!is_wanted(o, t, signal) || is_there_already(o, task, info)) {
        return true;
    }
    if (o->waiting_count == WAITING_MAX) {
        return false;
    }
    o->waiting[o->waiting_count++] = (struct waiting){.task = task, .info = *info};
    if (t == NULL) {
        o->pending |= BIT(signal);
    } else {
        t->signals_pending |= BIT(signal);
        o->of_tasks |= BIT(signal);
    }
    sched_changed();
    return true;
}

bool signals_post(struct task *t, const siginfo_t *info)
{
    return post(t == NULL ? own() : own_of(t), t, info);
}

bool signals_post_to(const struct process *p, const siginfo_t *info)
{
    return post(&all[p->number], NULL, info);
}

static uint64_t process_pending(const struct own *o)
{
    return o->pending | atomic_load_explicit(&o->outer, memory_order_relaxed);
}

uint64_t signals_pending(const struct task *t)
{
    return t->signals_pending | process_pending(own_of(t));
}

/* What waits at a barrier is counted there, and takes signals behind it; so does one who was woken.
 */
int signals_due(const struct task *t)
{
    if ((process_pending(own_of(t)) | own_of(t)->of_tasks) == 0 || t->act.kind == 0 ||
        t->act.wait == WAIT_BARRIER || t->is_woken || t->is_ending) {
        return 0;
    }
    const uint64_t due = signals_pending(t) & ~(t->signals_blocked | t->signals_awaited);
    return due == 0 ? 0 : __builtin_ctzll(due) + 1;
}

/* Takes the first away; those behind it move up. */
static siginfo_t take_waiting(uint32_t task, int signal, uint64_t *pending)
{
    struct waiting *w = find_waiting(own(), task, signal);
    const siginfo_t info = w->info;
    const struct waiting *end = own()->waiting + own()->waiting_count--;
    memmove(w, w + 1, (size_t)(end - (w + 1)) * sizeof *w);
    if (find_waiting(own(), task, signal) == NULL) {
        *pending &= ~BIT(signal);
    }
    return info;
}

void signals_order(enum event_kind kind, const struct task *t, int signal, const void *place)
{
    enum { TARGETS_MAX = 1024 };
    static const char signals_sent[(TARGETS_MAX + 1) * NSIG]; /* only its addresses are used */
    const size_t row = t == NULL ? 0 : 1 + t->number % TARGETS_MAX;
    struct control_report *told =
        control_report_channel(kind, &signals_sent[row * NSIG + (size_t)signal], 0, place);
    if (told != NULL) {
        told->mode = ANNOTATION_ANY;
    }
}

int signals_first(struct task *t, uint64_t set, siginfo_t *taken)
{
    const uint64_t there = signals_pending(t) & set;
    if (there == 0) {
        return 0;
    }
    const int signal = __builtin_ctzll(there) + 1;
    if (taken == NULL) {
        return signal;
    }
    if ((t->signals_pending & BIT(signal)) != 0) {
        *taken = take_waiting(t->number, signal, &t->signals_pending);
        signals_order(EVENT_HAPPENS_AFTER, t, signal, NULL);
    } else if ((own()->pending & BIT(signal)) != 0) {
        *taken = take_waiting(NOBODY, signal, &own()->pending);
        signals_order(EVENT_HAPPENS_AFTER, NULL, signal, NULL);
    } else {
        *taken = own()->outer_infos[signal];
        atomic_fetch_and_explicit(&own()->outer, ~BIT(signal), memory_order_relaxed);
    }
    return signal;
}

static void call_handler(int signal, siginfo_t *info)
{
    const struct sigaction a = own()->actions[signal];
    if ((a.sa_flags & (int)SA_RESETHAND) != 0) {
        own()->actions[signal].sa_handler = SIG_DFL;
    }
    if ((a.sa_flags & SA_SIGINFO) != 0) {
        ucontext_t nowhere;
        memset(&nowhere, 0, sizeof nowhere);
        a.sa_sigaction(signal, info, &nowhere);
    } else {
        a.sa_handler(signal);
    }
}

static bool act_on(int signal, siginfo_t *info)
{
    struct task *me = control_self;
    const struct sigaction a = own()->actions[signal];
    if (is_ignored(own(), signal)) {
        return true;
    }
    if (a.sa_handler == SIG_DFL && process_self->number != 0) {
        process_finish(signal); /* its parent learns of it */
    }
    if (a.sa_handler == SIG_DFL) {
        control_end(&(struct ending){.end = CONTROL_CRASHED, .value = signal});
    }
    const uint64_t before = me->signals_blocked;
    const int saved = errno;
    me->signals_before = before;
    me->signals_blocked |= signals_of(&a.sa_mask);
    me->signals_blocked |= (a.sa_flags & SA_NODEFER) != 0 ? 0 : BIT(signal);
    control_report(EVENT_INTERRUPT, "", signal, NULL);
    call_handler(signal, info);
    control_report(EVENT_INTERRUPT_END, "", signal, NULL);
    me = control_self; /* the handler may have forked, and come back in the child */
    me->signals_blocked = before;
    errno = saved;
    return (a.sa_flags & SA_RESTART) != 0;
}

bool signals_take(int signal)
{
    siginfo_t info;
    return signals_first(control_self, BIT(signal), &info) == 0 || act_on(signal, &info);
}

void signals_take_all(void)
{
    const struct task *me = control_self;
    int due = 0;
    while (control_is_on && (due = signals_first(control_self, ~me->signals_blocked, NULL)) != 0) {
        (void)signals_take(due);
    }
}

bool signals_raise(struct task *t, const siginfo_t *info)
{
    const struct task *me = control_self;
    siginfo_t own_info = *info;
    if (((me->signals_blocked | me->signals_awaited) & BIT(info->si_signo)) != 0) {
        return signals_post(t, info);
    }
    (void)act_on(info->si_signo, &own_info);
    return true;
}

bool signals_handle_fault(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *a = &own()->actions[signal];
    if (signal < 1 || signal > SIGNALS_MAX || a->sa_handler == SIG_DFL ||
        a->sa_handler == SIG_IGN) {
        return false;
    }
    if ((a->sa_flags & SA_SIGINFO) != 0) {
        a->sa_sigaction(signal, info, context);
    } else {
        a->sa_handler(signal);
    }
    return true;
}
