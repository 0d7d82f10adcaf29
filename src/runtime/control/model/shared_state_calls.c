/* What system calls share with other tasks, where they are passed on to the kernel. */
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/proc_paths.h"

enum use {
    USE_NOTHING, /* of others, or a model says more */
    USE_READS,   /* what the kernel keeps for the process */
    USE_WRITES,
    USE_FILE_READS, /* the file of the descriptor that is the first argument */
    USE_FILE_WRITES,
    USE_NUMBERS, /* it makes a descriptor, and does nothing else that others could notice */
    USE_ALL,     /* memory, or files that are not named */
};

/* Whether a model knows the call's effects, or other tasks cannot notice it. */
static bool is_private(long number)
{
    switch (number) {
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_brk:
    case SYS_msync:
    case SYS_mlock:
    case SYS_munlock:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync:
    case SYS_syncfs:
    case SYS_uname:
    case SYS_sysinfo:
    case SYS_getrusage:
    case SYS_times:
    case SYS_getcpu:
    case SYS_sched_getaffinity:
    case SYS_clock_getres:
    case SYS_membarrier:
    case SYS_futex:
    case SYS_exit:
    case SYS_rt_sigaction:
    case SYS_rt_sigprocmask:
    case SYS_rt_sigpending:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_restart_syscall:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_execve: return true;
    default: return false;
    }
}

/* The use of a call that is not private. */
static enum use shared_use_of(long number)
{
    switch (number) {
    case SYS_getcwd:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_getresuid:
    case SYS_getresgid:
    case SYS_getgroups:
    case SYS_getpgid:
    case SYS_getsid:
    case SYS_getpriority:
    case SYS_getrlimit:
    case SYS_sched_getparam:
    case SYS_sched_getscheduler:
    case SYS_sched_get_priority_max:
    case SYS_sched_get_priority_min: return USE_READS;
    case SYS_fstat:
    case SYS_newfstatat: /* of an empty path */
    case SYS_statx:
    case SYS_fstatfs:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_getsockname:
    case SYS_getpeername:
    case SYS_getsockopt:
    case SYS_fgetxattr:
    case SYS_flistxattr: return USE_FILE_READS;
    case SYS_lseek: /* the position, which all who share the description have in common */
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fchmod:
    case SYS_fchown:
    case SYS_setsockopt:
    case SYS_fsetxattr:
    case SYS_fremovexattr: return USE_FILE_WRITES;
    case SYS_inotify_init1:
    case SYS_pidfd_open: return USE_NUMBERS;
    case SYS_bind: /* the socket, and the address, which nobody else has then */
    case SYS_listen:
    case SYS_getdents64: /* files that others make there */
    case SYS_chdir:      /* where paths begin */
    case SYS_fchdir:
    case SYS_ioctl:
    case SYS_umask: /* modes of the files that others make */
    case SYS_mprotect:
    case SYS_madvise:
    case SYS_copy_file_range: return USE_ALL;
    default: return USE_WRITES;
    }
}

static enum use use_of(long number)
{
    return is_private(number) ? USE_NOTHING : shared_use_of(number);
}

static bool is_link(long number)
{
#ifdef SYS_link
    if (number == SYS_link || number == SYS_symlink) {
        return true;
    }
#endif
    return number == SYS_linkat || number == SYS_symlinkat;
}

/* Calls that libc makes for itself: it asks whether a stream is a terminal, and takes care of the
 * stacks of threads. */
static bool is_own(long number, const long *a)
{
    uint32_t distance = 0;
    return (number == SYS_ioctl && a[1] == TCGETS) ||
           ((number == SYS_madvise || number == SYS_mprotect) &&
            task_of_stack((uintptr_t)a[0], &distance) != NULL);
}

void state_touch_call(long number, const long *a, const void *place)
{
    const enum use use = is_own(number, a) ? USE_NOTHING : use_of(number);
    if (is_link(number)) {
        state_reach_anywhere();
    }
    if (use == USE_ALL) {
        state_touch_all(place);
    } else if (use == USE_NOTHING || state_is_said() || path_touch(number, a, place)) {
        /* Nothing more is to be said. */
    } else if (use == USE_NUMBERS) {
        state_take_number(place);
    } else if (use == USE_FILE_READS || use == USE_FILE_WRITES) {
        state_touch_descriptor((int)a[0], use == USE_FILE_WRITES, place);
    } else {
        state_touch(CONTROL_PROCESS, use == USE_WRITES, place);
    }
}
