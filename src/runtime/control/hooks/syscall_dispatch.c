#include "runtime/control/hooks/syscall_dispatch.h"

#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/control/model/pending_signals.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"

#ifdef __x86_64__

/* As the kernel reads it: what is not ours is handed back, or let pass. */
enum { LET_PASS, HAND_BACK };
static volatile char selector = LET_PASS;
static bool is_there;

enum { DISPATCHED = 2, INSTRUCTION_SIZE = 2, ARGUMENTS = 6 };

/* What stands on the stack or the thread as it is: made by the program's own instruction, once
 * more, and let pass. The next turn hands back again. */
static bool must_be_made_there(long number)
{
    switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_rt_sigreturn:
    case SYS_sigaltstack:
    case SYS_arch_prctl:
    case SYS_set_tid_address:
    case SYS_set_robust_list:
    case SYS_rseq:
    case SYS_exit: return true;
    default: return false;
    }
}

/* The mask comes back from the stack when a handler returns, so that is where it is changed. libc
 * blocks everything at times, which must not be true of what we live by. */
static long change_mask(ucontext_t *context, const long *a)
{
    const uint64_t ours = UINT64_C(1) << (SIGSYS - 1);
    uint64_t mask = 0;
    uint64_t given = 0;
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    if (a[1] != 0) {
        memcpy(&given, (const void *)a[1], sizeof given);
    }
    if (a[2] != 0) {
        memcpy((void *)a[2], &mask, sizeof mask);
    }
    if (a[1] != 0) {
        switch (a[0]) {
        case SIG_BLOCK: mask |= given; break;
        case SIG_UNBLOCK: mask &= ~given; break;
        case SIG_SETMASK: mask = given; break;
        default: errno = EINVAL; return -1;
        }
    }
    mask &= ~ours;
    memcpy(&context->uc_sigmask, &mask, sizeof mask);
    return 0;
}

static long make(ucontext_t *context, long number, const long *a)
{
    if (number == SYS_rt_sigprocmask && control_is_mine()) { /* the mask is kept by control */
        const int failed = pthread_sigmask((int)a[0], (const sigset_t *)a[1], (sigset_t *)a[2]);
        errno = failed;
        return failed == 0 ? 0 : -1;
    }
    if (number == SYS_rt_sigprocmask) {
        return change_mask(context, a);
    }
    const void *place = (const void *)context->uc_mcontext.gregs[REG_RIP];
    return control_is_mine() ? syscall_model(number, a, place) : sys_call(number, a);
}

static void handed_back(int signal, siginfo_t *info, void *argument)
{
    ucontext_t *context = argument;
    greg_t *registers = context->uc_mcontext.gregs;
    if (info->si_code != DISPATCHED) {
        control_end(&(struct ending){.end = CONTROL_CRASHED, .value = signal});
    }
    const long number = registers[REG_RAX];
    const int saved = errno;
    const long a[ARGUMENTS] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                               registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
    const bool is_clone =
        number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
    if (is_clone && control_is_mine()) {
        const long made = process_clone(number == SYS_vfork ? SYS_fork : number, a,
                                        (const void *)registers[REG_RIP]);
        if (made != PROCESS_CLONE_ELSE) {
            registers[REG_RAX] = made == -1 ? -errno : made;
            errno = saved;
            return;
        }
    }
    if (must_be_made_there(number)) {
        if (control_is_mine()) {
            process_leaves(number, a);
        }
        selector = LET_PASS;
        registers[REG_RIP] -= INSTRUCTION_SIZE;
        errno = saved;
        return;
    }
    const long result = make(context, number, a);
    registers[REG_RAX] = result == -1 ? -errno : result;
    errno = saved;
}

/* How a handler returns: from our own code, which is let pass. Debuggers and unwinders know these
 * instructions. */
__attribute__((naked, noinline)) static void go_back(void)
{
    __asm__("mov $15, %rax\n syscall\n");
}

/* As the kernel has it; it runs on the stack of the one who called. */
static void catch_them(void)
{
    enum { HAS_RESTORER = 0x04000000 };
    const struct {
        void (*handler)(int, siginfo_t *, void *);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {.handler = handed_back,
                .flags = SA_SIGINFO | SA_NODEFER | HAS_RESTORER,
                .restorer = go_back};
    (void)sys(SYS_rt_sigaction, (long)SIGSYS, &action, NULL, (long)sizeof action.mask);
}

void trap_start(void)
{
    /* Found by the first thread alone: the list of modules may change while others start. */
    static uintptr_t begin;
    static uintptr_t end;
    if (begin == 0) {
        object_module_of((uintptr_t)trap_start, &begin, &end);
    }
    is_there = sys(SYS_prctl, (long)PR_SET_SYSCALL_USER_DISPATCH, (long)PR_SYS_DISPATCH_ON, begin,
                   end - begin, &selector) == 0;
    if (is_there) {
        catch_them();
    }
}

void trap_on(void)
{
    selector = is_there ? HAND_BACK : LET_PASS;
}

void trap_off(void)
{
    selector = LET_PASS;
}

#else

void trap_start(void)
{
}

void trap_on(void)
{
}

void trap_off(void)
{
}

#endif
