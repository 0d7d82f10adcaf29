#include "runtime/control/sched/watchdog.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/model/call_stack.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"

enum { PERIOD_NS = 100 * 1000 * 1000 };

static uint64_t steps_before; /* at the last tick */

#ifdef __x86_64__
/* On a busy machine a signal often finds the handler of the one before. */
static const void *interrupted_at(const void *context)
{
    enum { NESTED_MAX = 8 };
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    for (int i = 0; i < NESTED_MAX && stack_is_return_of_handler((const void *)registers[REG_RIP]);
         i++) {
        registers = ((const ucontext_t *)registers[REG_RSP])->uc_mcontext.gregs;
    }
    return (const void *)registers[REG_RIP];
}
#else
static const void *interrupted_at(const void *context)
{
    (void)context;
    return NULL;
}
#endif

static bool is_in_module_of(uintptr_t place, uintptr_t known)
{
    uintptr_t begin = 0;
    uintptr_t end = 0;
    object_module_of(known, &begin, &end);
    return place >= begin && place < end;
}

/* Our own code and libc's may hold locks or be in the middle of a change. */
static bool may_stop_at(const void *place)
{
    return place != NULL && !is_in_module_of((uintptr_t)place, (uintptr_t)watchdog_start) &&
           !is_in_module_of((uintptr_t)place, (uintptr_t)libc.exit);
}

/* A place is what a call returns to, one byte behind the instruction's first. */
static void preempt(const void *instruction)
{
    const void *place = (const char *)instruction + 1;
    control->result.has_preempted = 1;
    control->result.preempted = control_place(place);
    (void)sched_take(&(struct act){.kind = EVENT_TASK_SWITCH, .is_idle = true, .place = place});
}

/* With threads, the kernel may hand the signal to one that waits for its turn. */
static bool is_for_other(void)
{
    return control->mode >= CONTROL_THREAD && control_self != sched_chosen();
}

static void bark(int signal, siginfo_t *info, void *context)
{
    (void)info;
    const int saved = errno;
    if (!control_is_on || sched_chosen()->process != process_self->number) {
        return;
    }
    if (is_for_other()) {
        (void)libc.pthread_kill(sched_chosen()->thread, signal);
        errno = saved;
        return;
    }
    const void *place = interrupted_at(context);
    if (control->is_overdue != 0) {
        control_end(&(struct ending){.end = sched_awaits_outside() ? CONTROL_WAITED : CONTROL_HUNG,
                                     .place = place});
    }
    const uint64_t steps = control->result.step_count;
    if (steps == steps_before && control_self->ignore == 0 && may_stop_at(place) &&
        sched_has_others()) {
        preempt(place);
    }
    steps_before = control->result.step_count;
    errno = saved;
}

void watchdog_start(void)
{
    const struct sigaction action = {.sa_sigaction = bark,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    (void)libc.sigaction(WATCHDOG_SIGNAL, &action, NULL);
    if (control->stop_count != 0) {
        return; /* gdb has no name for the signal and would stop at each */
    }
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = WATCHDOG_SIGNAL};
    int timer = 0;
    if (sys(SYS_timer_create, (long)CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0) {
        const struct timespec period = {.tv_nsec = PERIOD_NS};
        const struct itimerspec value = {.it_interval = period, .it_value = period};
        (void)sys(SYS_timer_settime, (long)timer, 0L, &value, NULL);
    }
}
