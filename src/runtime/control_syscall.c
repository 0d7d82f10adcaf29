/* System calls that the program makes by number: a futex is modelled, what has a name of its own
 * goes where the name goes, and the rest passes through. */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control_lock.h"
#include "runtime/sys.h"

enum { ARGUMENTS = 6 };

static long call(long number, const long *a)
{
#ifdef __x86_64__
    long result = number;
    register long d __asm__("r10") = a[3];
    register long e __asm__("r8") = a[4];
    register long f __asm__("r9") = a[5];
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(d), "r"(e), "r"(f)
                     : "rcx", "r11", "memory");
#else
    register long result __asm__("x0") = a[0];
    register long b __asm__("x1") = a[1];
    register long c __asm__("x2") = a[2];
    register long d __asm__("x3") = a[3];
    register long e __asm__("x4") = a[4];
    register long f __asm__("x5") = a[5];
    register long n __asm__("x8") = number;
    __asm__ volatile("svc 0"
                     : "+r"(result)
                     : "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(n)
                     : "memory");
#endif
    enum { ERRORS = 4096 };
    if (result < 0 && result > -ERRORS) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

#define TAKE_ARGUMENTS(a, last)           \
    long a[ARGUMENTS];                    \
    va_list rest;                         \
    va_start(rest, last);                 \
    for (int i = 0; i < ARGUMENTS; i++) { \
        (a)[i] = va_arg(rest, long);      \
    }                                     \
    va_end(rest)

long sys(long number, ...)
{
    TAKE_ARGUMENTS(a, number);
    return call(number, a);
}

/* Futexes */

struct futex {
    const volatile uint32_t *word;
    uint32_t value;
    uint64_t deadline; /* 0: none */
    const void *place;
};

static long fail(int reason)
{
    errno = reason;
    return -1;
}

/* The look at the word and the beginning of the wait are one step; being woken is another. */
static long futex_wait(const struct futex *f)
{
    (void)turn_take(&(struct act){
        .kind = EVENT_WAIT_BEGIN, .object = f->word, .writes = true, .place = f->place});
    if (*f->word != f->value) {
        return fail(EAGAIN);
    }
    const bool is_woken = turn_take(&(struct act){.kind = EVENT_WAIT_END,
                                                  .object = f->word,
                                                  .writes = true,
                                                  .wait = WAIT_WAKE,
                                                  .deadline = f->deadline,
                                                  .interruption = INTERRUPTED_MAYBE,
                                                  .place = f->place});
    return is_woken ? 0 : fail(turn_is_interrupted() ? EINTR : ETIMEDOUT);
}

static long futex_wake(const struct futex *f)
{
    (void)turn_take(
        &(struct act){.kind = EVENT_SIGNAL, .object = f->word, .writes = true, .place = f->place});
    return turn_wake(f->word, f->value);
}

/* FUTEX_WAIT has how long, the wait with a mask until when. */
static uint64_t deadline_of(int operation, const struct timespec *time)
{
    enum { SECOND_NS = 1000000000 };
    if (time == NULL) {
        return 0;
    }
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) {
        return control_clock + (uint64_t)time->tv_sec * SECOND_NS + (uint64_t)time->tv_nsec + 1;
    }
    return clock_deadline(
        (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
}

static long futex(const long *a, const void *place)
{
    const int operation = (int)a[1];
    struct futex f = {
        .word = (const volatile uint32_t *)a[0], .value = (uint32_t)a[2], .place = place};
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        f.deadline = deadline_of(operation, (const struct timespec *)a[3]);
        return futex_wait(&f);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: return futex_wake(&f);
    default: control_outside("futex"); return call(SYS_futex, a);
    }
}

RT_EXPORT long syscall(long number, ...)
{
    TAKE_ARGUMENTS(a, number);
    if (!control_is_mine()) {
        return call(number, a);
    }
    switch (number) {
    case SYS_futex: return futex(a, RT_PLACE);
    case SYS_getrandom: return getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]);
    case SYS_getpid: return getpid();
    case SYS_gettid: return gettid();
    case SYS_sched_yield: return sched_yield();
    case SYS_clock_gettime: return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
    case SYS_nanosleep: return nanosleep((const struct timespec *)a[0], (struct timespec *)a[1]);
    case SYS_kill: return kill((pid_t)a[0], (int)a[1]);
    case SYS_tgkill: return tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]);
    case SYS_exit_group: _exit((int)a[0]);
    default: return call(number, a);
    }
}
