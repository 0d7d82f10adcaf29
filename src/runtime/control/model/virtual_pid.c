#include "runtime/control/model/virtual_pid.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"

enum { PID = PID_FIRST, ARGUMENTS = 6 };

/* Of a child that a run forked and that is not controlled: the process that it left. */
static pid_t parent_of_child;

pid_t pid_self(void)
{
    return process_self->id;
}

pid_t pid_parent(void)
{
    if (process_self->number == 0) {
        return PID_PARENT;
    }
    return process_self->parent == NOBODY ? PID_INIT
                                          : run_state->processes[process_self->parent].id;
}

pid_t pid_task(void)
{
    return control_self->number == process_self->first ? process_self->id
                                                       : PID + (pid_t)control_self->number;
}

void pid_leave(void)
{
    parent_of_child = (pid_t)sys(SYS_getppid);
}

static bool is_of_task(pid_t id)
{
    return id > PID && id - PID < CONTROL_TASKS_MAX && tasks[id - PID].state == TASK_LIVE;
}

int pid_is_virtual(pid_t id)
{
    return id == PID_PARENT || id == PID_SESSION || process_known_as(id) != NULL || is_of_task(id);
}

pid_t pid_real(pid_t id)
{
    if (!control_is_on) {
        return parent_of_child != 0 && id == PID ? parent_of_child : id;
    }
    const struct process *p = process_known_as(id);
    if (p != NULL) {
        return p == process_self ? (pid_t)sys(SYS_getpid) : p->real;
    }
    switch (id) {
    case PID_PARENT: return process_self->number == 0 ? (pid_t)sys(SYS_getppid) : control->server;
    case PID_SESSION: return (pid_t)sys(SYS_getsid, 0L);
    default:
        return !is_of_task(id) ? id
               : tasks[id - PID].process == process_self->number
                   ? (pid_t)sys(SYS_gettid)
                   : process_of(&tasks[id - PID])->real;
    }
}

/* Groups and sessions */

static long fail(int reason)
{
    errno = reason;
    return -1;
}

static struct process *process_meant(pid_t id)
{
    return id == 0 ? process_self : process_known_as(id);
}

long pid_get_group(pid_t id)
{
    const struct process *p = process_meant(id);
    return p != NULL ? p->group : fail(ESRCH);
}

long pid_get_session(pid_t id)
{
    const struct process *p = process_meant(id);
    return p != NULL ? p->session : fail(ESRCH);
}

static bool is_group_of_session(pid_t group, pid_t session)
{
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        const struct process *p = &run_state->processes[i];
        if (p->group == group && p->session == session &&
            (p->state == PROCESS_LIVE || p->state == PROCESS_ZOMBIE)) {
            return true;
        }
    }
    return false;
}

long pid_set_group(pid_t id, pid_t group)
{
    struct process *p = process_meant(id);
    if (group < 0) {
        return fail(EINVAL);
    }
    if (p == NULL || (p != process_self && p->parent != process_self->number)) {
        return fail(ESRCH);
    }
    const pid_t wanted = group == 0 ? p->id : group;
    if (p->session == p->id || p->session != process_self->session ||
        (wanted != p->id && !is_group_of_session(wanted, p->session))) {
        return fail(EPERM);
    }
    p->group = wanted;
    return 0;
}

long pid_set_session(void)
{
    if (process_self->group == process_self->id) {
        return fail(EPERM);
    }
    process_self->session = process_self->group = process_self->id;
    return process_self->id;
}

/* A process group is asked for by the id of its leader, which the program takes itself for. */
static pid_t real_group(pid_t id)
{
    return id == process_self->group ? (pid_t)sys(SYS_getpgid, 0L) : pid_real(id);
}

/* What the program is told of an id that the kernel returned. */
static pid_t told(pid_t id)
{
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        if (run_state->processes[i].real == id && run_state->processes[i].state == PROCESS_LIVE) {
            return run_state->processes[i].id;
        }
    }
    return id == (pid_t)sys(SYS_getppid) ? PID_PARENT : id;
}

static pid_t told_group(pid_t id)
{
    return id == (pid_t)sys(SYS_getpgid, 0L) ? process_self->group : told(id);
}

static pid_t told_session(pid_t id)
{
    return id == (pid_t)sys(SYS_getsid, 0L) ? process_self->session : told(id);
}

/* Arguments */

/* Calls with an id in an argument: PID_CALL(name, argument). */
#define PID_LIST(PID_CALL)             \
    PID_CALL(tkill, 0)                 \
    PID_CALL(rt_sigqueueinfo, 0)       \
    PID_CALL(pidfd_open, 0)            \
    PID_CALL(ptrace, 1)                \
    PID_CALL(process_vm_readv, 0)      \
    PID_CALL(process_vm_writev, 0)     \
    PID_CALL(prlimit64, 0)             \
    PID_CALL(sched_getaffinity, 0)     \
    PID_CALL(sched_setaffinity, 0)     \
    PID_CALL(sched_getparam, 0)        \
    PID_CALL(sched_setparam, 0)        \
    PID_CALL(sched_getscheduler, 0)    \
    PID_CALL(sched_setscheduler, 0)    \
    PID_CALL(sched_getattr, 0)         \
    PID_CALL(sched_setattr, 0)         \
    PID_CALL(sched_rr_get_interval, 0) \
    PID_CALL(getpgid, 0)               \
    PID_CALL(getsid, 0)                \
    PID_CALL(get_robust_list, 0)       \
    PID_CALL(migrate_pages, 0)         \
    PID_CALL(move_pages, 0)            \
    PID_CALL(perf_event_open, 1)

static long real_argument(long id)
{
    return pid_real((pid_t)id);
}

/* An id in the memory of the program, of a call whose argument points to it. */
static void exchange(pid_t *id, pid_t (*change)(pid_t))
{
    if (id != NULL) {
        *id = change(*id);
    }
}

/* Which kind of owner a descriptor gets: a negative id is a group's. */
static long real_owner(long owner)
{
    return (int)owner < 0 ? -(long)real_group((pid_t)-owner) : (long)pid_real((pid_t)owner);
}

static bool is_of_group(const struct f_owner_ex *owner)
{
    return owner->type == F_OWNER_PGRP;
}

/* The calls whose arguments say themselves what the id is of. */
static void translate_kinds(long number, long *a)
{
    switch (number) {
    case SYS_getpriority:
    case SYS_setpriority:
    case SYS_ioprio_get:
    case SYS_ioprio_set: {
        const bool is_io = number == SYS_ioprio_get || number == SYS_ioprio_set;
        const long of_group = is_io ? 2 : PRIO_PGRP;
        a[1] = a[0] == of_group ? real_group((pid_t)a[1]) : real_argument(a[1]);
        break;
    }
    case SYS_setpgid:
        a[0] = real_argument(a[0]);
        a[1] = a[1] == PID ? a[0] : real_argument(a[1]);
        break;
    case SYS_waitid: a[1] = a[0] == P_PGID ? real_group((pid_t)a[1]) : a[1]; break;
    case SYS_wait4: a[0] = (int)a[0] < -1 ? -(long)real_group((pid_t)-a[0]) : a[0]; break;
    case SYS_kcmp:
    case SYS_rt_tgsigqueueinfo:
        a[0] = real_argument(a[0]);
        a[1] = real_argument(a[1]);
        break;
    case SYS_fcntl: a[2] = a[1] == F_SETOWN ? real_owner(a[2]) : a[2]; break;
    default: break;
    }
}

static void translate_arguments(long number, long *a)
{
    switch (number) {
#define PID_CALL(name, argument) \
    case SYS_##name: a[argument] = real_argument(a[argument]); break;
        PID_LIST(PID_CALL)
#undef PID_CALL
    default: translate_kinds(number, a); break;
    }
}

/* Ids in memory */

/* The credentials that a message carries, if it does. */
static struct ucred *credentials(const struct msghdr *message)
{
    struct cmsghdr *c = message->msg_control == NULL ? NULL : CMSG_FIRSTHDR(message);
    while (c != NULL && (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)) {
        c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)message, c);
    }
    return c == NULL ? NULL : (struct ucred *)(void *)CMSG_DATA(c);
}

static bool is_owner_call(long request)
{
    return request == FIOSETOWN || request == SIOCSPGRP || request == TIOCSPGRP;
}

/* Where in the program's memory the call finds an id that it is given. */
static pid_t *id_given(long number, const long *a)
{
    if (number == SYS_fcntl && a[1] == F_SETOWN_EX) {
        return &((struct f_owner_ex *)a[2])->pid;
    }
    if (number == SYS_ioctl && is_owner_call(a[1])) {
        return (pid_t *)a[2];
    }
    if (number == SYS_sendmsg) {
        struct ucred *c = credentials((const struct msghdr *)a[1]);
        return c == NULL ? NULL : &c->pid;
    }
    return NULL;
}

static bool gives_group(long number, const long *a)
{
    return number == SYS_ioctl
               ? a[1] == TIOCSPGRP || a[1] == TIOCGPGRP
               : number == SYS_fcntl && (a[1] == F_SETOWN_EX || a[1] == F_GETOWN_EX) &&
                     is_of_group((const struct f_owner_ex *)a[2]);
}

/* Where the call has put an id that it returns. */
static pid_t *id_returned(long number, const long *a)
{
    switch (number) {
    case SYS_fcntl:
        return a[1] == F_GETOWN_EX                      ? &((struct f_owner_ex *)a[2])->pid
               : a[1] == F_GETLK || a[1] == F_OFD_GETLK ? &((struct flock *)a[2])->l_pid
                                                        : NULL;
    case SYS_ioctl:
        return a[1] == FIOGETOWN || a[1] == SIOCGPGRP || a[1] == TIOCGPGRP || a[1] == TIOCGSID
                   ? (pid_t *)a[2]
                   : NULL;
    case SYS_getsockopt:
        return a[1] == SOL_SOCKET && a[2] == SO_PEERCRED ? &((struct ucred *)a[3])->pid : NULL;
    case SYS_recvmsg: {
        struct ucred *c = credentials((const struct msghdr *)a[1]);
        return c == NULL ? NULL : &c->pid;
    }
    default: return NULL;
    }
}

static void tell_memory(long number, const long *a)
{
    pid_t *id = id_returned(number, a);
    if (number == SYS_ioctl && a[1] == TIOCGSID) {
        exchange(id, told_session);
    } else {
        exchange(id, gives_group(number, a) ? told_group : told);
    }
}

static long told_result(long number, const long *a, long result)
{
    switch (number) {
    case SYS_getpgid: return told_group((pid_t)result);
#ifdef SYS_getpgrp
    case SYS_getpgrp: return told_group((pid_t)result);
#endif
    case SYS_getsid: return told_session((pid_t)result);
    case SYS_setsid: return told((pid_t)result);
    case SYS_fcntl: {
        const pid_t owner = (pid_t)result;
        return a[1] != F_GETOWN ? result : owner < 0 ? -told_group(-owner) : told(owner);
    }
    default: return result;
    }
}

long pid_call(long number, const long *given)
{
    long a[ARGUMENTS];
    memcpy(a, given, sizeof a);
    if (!control_is_on) {
        return sys_call(number, a);
    }
    translate_arguments(number, a);
    pid_t *id = id_given(number, a);
    const pid_t before = id == NULL ? 0 : *id;
    exchange(id, gives_group(number, a) ? real_group : pid_real);
    const long result = sys_call(number, a);
    const int reason = errno;
    if (id != NULL) {
        *id = before;
    }
    if (result >= 0) {
        tell_memory(number, a);
        const long told_to = told_result(number, a, result);
        errno = reason;
        return told_to;
    }
    return result;
}
