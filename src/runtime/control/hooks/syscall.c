/* System calls that the program makes by number: a futex is modelled, what has a name of its own
 * goes where the name goes, and the rest passes through. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/hooks/mutex.h"
#include "runtime/control/hooks/read_write.h"
#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/description_lock.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/proc_paths.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/cluster_run.h"
#include "runtime/shared/raw_syscall.h"

enum { ARGUMENTS = 6 };

long sys_call(long number, const long *a)
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
    return sys_call(number, a);
}

int sys_poll(struct pollfd *descriptors, uint32_t count, int ms)
{
    struct timespec most = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    return (int)sys(SYS_ppoll, descriptors, count, ms < 0 ? NULL : &most, NULL, 0L);
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

/* The look at the word and the beginning of the wait are one step; being woken is another. After a
 * handler the word would have to be looked at again: that is left to the caller, whom a wait may
 * always send back. */
static long futex_wait(const struct futex *f)
{
    (void)sched_take(&(struct act){
        .kind = EVENT_WAIT_BEGIN, .object = f->word, .writes = true, .place = f->place});
    if (*f->word != f->value) {
        sched_refused();
        return fail(EAGAIN);
    }
    const uint64_t begin = sched_step();
    const bool is_woken = sched_take(&(struct act){.kind = EVENT_WAIT_END,
                                                   .object = f->word,
                                                   .writes = true,
                                                   .wait = WAIT_WAKE,
                                                   .deadline = f->deadline,
                                                   .interruption = INTERRUPTED_ALWAYS,
                                                   .place = f->place});
    if (!is_woken) {
        sched_report(EVENT_WAIT_END, begin);
    }
    return is_woken ? 0 : fail(sched_is_interrupted() ? EINTR : ETIMEDOUT);
}

static long futex_wake(const struct futex *f)
{
    (void)sched_take(
        &(struct act){.kind = EVENT_SIGNAL, .object = f->word, .writes = true, .place = f->place});
    const uint32_t woken = sched_wake(f->word, f->value);
    sched_traced(woken > 1 ? EVENT_BROADCAST : EVENT_SIGNAL);
    return woken;
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
    default: control_outside("futex"); return sys_call(SYS_futex, a);
    }
}

/* Calls that stand for themselves: CALL(name, what it comes to). */
#define MODEL_LIST(CALL)                                                                           \
    CALL(futex, futex(a, place))                                                                   \
    CALL(getrandom, getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]))                         \
    CALL(getpid, getpid())                                                                         \
    CALL(getppid, getppid())                                                                       \
    CALL(gettid, gettid())                                                                         \
    CALL(sched_yield, sched_yield())                                                               \
    CALL(clock_gettime, clock_gettime((clockid_t)a[0], (void *)a[1]))                              \
    CALL(gettimeofday, gettimeofday((void *)a[0], (void *)a[1]))                                   \
    CALL(nanosleep, nanosleep((void *)a[0], (void *)a[1]))                                         \
    CALL(clock_nanosleep,                                                                          \
         failed(clock_nanosleep((clockid_t)a[0], (int)a[1], (void *)a[2], (void *)a[3])))          \
    CALL(wait4, wait4((pid_t)a[0], (int *)a[1], (int)a[2], (struct rusage *)a[3]))                 \
    CALL(waitid, waitid((idtype_t)a[0], (id_t)a[1], (siginfo_t *)a[2], (int)a[3]))                 \
    CALL(getpgid, pid_get_group((pid_t)a[0]))                                                      \
    CALL(setpgid, pid_set_group((pid_t)a[0], (pid_t)a[1]))                                         \
    CALL(getsid, pid_get_session((pid_t)a[0]))                                                     \
    CALL(setsid, pid_set_session())                                                                \
    CALL(execve, process_become(AT_FDCWD, (const char *)a[0], (char *const *)a[1],                 \
                                (char *const *)a[2], &(struct become){0, place}))                  \
    CALL(execveat, process_become((int)a[0], (const char *)a[1], (char *const *)a[2],              \
                                  (char *const *)a[3], &(struct become){(int)a[4], place}))        \
    CALL(close_range, end_close_range((unsigned)a[0], (unsigned)a[1], (unsigned)a[2]))             \
    CALL(kill, kill((pid_t)a[0], (int)a[1]))                                                       \
    CALL(tgkill, tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]))                                      \
    CALL(pipe2, pipe2((int *)a[0], (int)a[1]))                                                     \
    CALL(socketpair, socketpair((int)a[0], (int)a[1], (int)a[2], (int *)a[3]))                     \
    CALL(socket, socket((int)a[0], (int)a[1], (int)a[2]))                                          \
    CALL(bind, bind((int)a[0], (__CONST_SOCKADDR_ARG){(const void *)a[1]}, (socklen_t)a[2]))       \
    CALL(listen, listen((int)a[0], (int)a[1]))                                                     \
    CALL(getsockname, getsockname((int)a[0], (__SOCKADDR_ARG){(void *)a[1]}, (void *)a[2]))        \
    CALL(getpeername, getpeername((int)a[0], (__SOCKADDR_ARG){(void *)a[1]}, (void *)a[2]))        \
    CALL(eventfd2, eventfd((unsigned)a[0], (int)a[1]))                                             \
    CALL(signalfd4, signalfd((int)a[0], (const void *)a[1], (int)a[3]))                            \
    CALL(epoll_create1, epoll_create1((int)a[0]))                                                  \
    CALL(epoll_ctl, epoll_ctl((int)a[0], (int)a[1], (int)a[2], (void *)a[3]))                      \
    CALL(dup, dup((int)a[0]))                                                                      \
    CALL(dup3, dup3((int)a[0], (int)a[1], (int)a[2]))                                              \
    CALL(fcntl, control_file(a, place))                                                            \
    CALL(flock, flock((int)a[0], (int)a[1]))                                                       \
    CALL(close, close((int)a[0]))                                                                  \
    CALL(timerfd_create, timerfd_create((int)a[0], (int)a[1]))                                     \
    CALL(timerfd_settime, timerfd_settime((int)a[0], (int)a[1], (const void *)a[2], (void *)a[3])) \
    CALL(timerfd_gettime, timerfd_gettime((int)a[0], (void *)a[1]))                                \
    CALL(ppoll, ppoll((void *)a[0], (nfds_t)a[1], (void *)a[2], (void *)a[3]))                     \
    CALL(epoll_pwait,                                                                              \
         epoll_pwait((int)a[0], (void *)a[1], (int)a[2], (int)a[3], (const void *)a[4]))

/* The same where a descriptor may have to be waited for; files are as they are. */
#define STREAM_LIST(CALL)                                                                          \
    CALL(read, read((int)a[0], (void *)a[1], (size_t)a[2]))                                        \
    CALL(write, write((int)a[0], (const void *)a[1], (size_t)a[2]))                                \
    CALL(readv, readv((int)a[0], (const void *)a[1], (int)a[2]))                                   \
    CALL(writev, writev((int)a[0], (const void *)a[1], (int)a[2]))                                 \
    CALL(sendto, sendto((int)a[0], (const void *)a[1], (size_t)a[2], (int)a[3],                    \
                        (__CONST_SOCKADDR_ARG){(const void *)a[4]}, (socklen_t)a[5]))              \
    CALL(recvfrom, recvfrom((int)a[0], (void *)a[1], (size_t)a[2], (int)a[3],                      \
                            (__SOCKADDR_ARG){(void *)a[4]}, (void *)a[5]))                         \
    CALL(sendmsg, sendmsg((int)a[0], (const void *)a[1], (int)a[2]))                               \
    CALL(recvmsg, recvmsg((int)a[0], (void *)a[1], (int)a[2]))                                     \
    CALL(connect, connect((int)a[0], (__CONST_SOCKADDR_ARG){(const void *)a[1]}, (socklen_t)a[2])) \
    CALL(accept4, accept4((int)a[0], (__SOCKADDR_ARG){(void *)a[1]}, (void *)a[2], (int)a[3]))

/* Those of older names, which not every machine has. */
#ifdef __x86_64__
#define OLD_LIST(CALL)                                                                      \
    CALL(getpgrp, pid_get_group(0))                                                         \
    CALL(pipe, pipe((int *)a[0]))                                                           \
    CALL(dup2, dup2((int)a[0], (int)a[1]))                                                  \
    CALL(time, time((time_t *)a[0]))                                                        \
    CALL(pause, pause())                                                                    \
    CALL(alarm, alarm((unsigned)a[0]))                                                      \
    CALL(poll, poll((void *)a[0], (nfds_t)a[1], (int)a[2]))                                 \
    CALL(select, select((int)a[0], (void *)a[1], (void *)a[2], (void *)a[3], (void *)a[4])) \
    CALL(epoll_wait, epoll_wait((int)a[0], (void *)a[1], (int)a[2], (int)a[3]))
#else
#define OLD_LIST(CALL)
#endif

/* What may wait, and is not controlled. */
#define WAITING_LIST(CALL) \
    CALL(shmat)            \
    CALL(msgsnd)           \
    CALL(msgrcv)           \
    CALL(semop)            \
    CALL(semtimedop)       \
    CALL(mq_timedsend)     \
    CALL(mq_timedreceive)  \
    CALL(io_getevents)     \
    CALL(io_uring_enter)   \
    CALL(splice)           \
    CALL(tee)              \
    CALL(sendfile)         \
    CALL(recvmmsg)         \
    CALL(sendmmsg)

/* What memory put back does not undo. */
static bool is_lasting(long number)
{
    switch (number) {
    case SYS_openat:
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_brk:
    case SYS_unlinkat:
    case SYS_renameat2:
    case SYS_mkdirat:
    case SYS_chdir:
    case SYS_fchdir:
    case SYS_umask:
    case SYS_setrlimit:
    case SYS_setpriority:
    case SYS_ftruncate:
    case SYS_memfd_create: return true;
    default: return false;
    }
}

/* For calls that give back what went wrong. */
static long failed(int reason)
{
    return reason == 0 ? 0 : fail(reason);
}

static bool is_waited_for(int fd)
{
    const struct end *e = end_of(fd);
    return e != NULL ? e->kind != CONTROL_FILE : end_is_outer(fd);
}

/* A read or a write of a file. */
static long pass_file(long number, const long *a)
{
    const long result = pid_call(number, a);
    if (number == SYS_write || number == SYS_writev) {
        cluster_written((int)a[0]);
    }
    return result;
}

static long pass(long number, const long *a, const void *place)
{
    switch (number) {
#define CALL(name) \
    case SYS_##name: control_outside(#name); break;
        WAITING_LIST(CALL)
#undef CALL
    default: break;
    }
    if (is_lasting(number) || (number == SYS_prlimit64 && a[2] != 0)) {
        control_changed();
    }
#ifdef __x86_64__
    if (number == SYS_fork || number == SYS_vfork) {
        return process_clone(SYS_fork, a, place);
    }
#endif
    if (number == SYS_clone || number == SYS_clone3) {
        const long made = process_clone(number, a, place);
        if (made != PROCESS_CLONE_ELSE) {
            return made;
        }
    }
    run_state->io_stamp++;
    process_leaves(number, a);
    state_touch_call(number, a, place);
    const long result = path_call(number, a);
    if (result == 0) {
        process_left(number, a);
    }
    return result;
}

/* What takes a lock or makes a descriptor; libc makes such calls for itself, as lockf does. */
static long control_file(const long *a, const void *place)
{
    const int command = (int)a[1];
    return file_lock_is_command(command) || command == F_DUPFD || command == F_DUPFD_CLOEXEC
               ? fcntl((int)a[0], command, a[2])
               : pass(SYS_fcntl, a, place);
}

long syscall_model(long number, const long *a, const void *place)
{
    switch (number) {
#define CALL(name, result) \
    case SYS_##name: return result;
        MODEL_LIST(CALL)
        OLD_LIST(CALL)
#undef CALL
#define CALL(name, result)                \
    case SYS_##name: {                    \
        if (!is_waited_for((int)a[0])) {  \
            return pass_file(number, a);  \
        }                                 \
        transfer_from(place);             \
        const long made = (long)(result); \
        transfer_from(NULL);              \
        return made;                      \
    }
        STREAM_LIST(CALL)
#undef CALL
    case SYS_exit_group: _exit((int)a[0]);
    default: return pass(number, a, place);
    }
}

RT_EXPORT long syscall(long number, ...)
{
    TAKE_ARGUMENTS(a, number);
    return control_is_mine() ? syscall_model(number, a, RT_PLACE) : sys_call(number, a);
}
