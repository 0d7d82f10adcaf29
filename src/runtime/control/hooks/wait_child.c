/* Waiting for children: processes of the table (sched/processes.h), whose ends the scheduler knows.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/run_control.h"

/* Waits until a child that is meant has ended; NULL: errno says why none has, or is 0 where the
 * caller would not wait. */
static struct process *await_child(pid_t id, int options, const void *place)
{
    bool has_any = false;
    const bool is_waiting = (options & WNOHANG) == 0;
    const struct process *wanted = id > 0 ? process_known_as(id) : NULL;
    const bool is_idle = !is_waiting && process_ended_child(process_self, id, &has_any) == NULL &&
                         task_repeats(place, &process_self->status, 0);
    const bool is_there = sched_take(&(struct act){.kind = EVENT_THREAD_JOIN,
                                                   .is_of_task = wanted != NULL,
                                                   .is_of_all = wanted == NULL,
                                                   .is_untraced = true,
                                                   .is_unsure = true,
                                                   .is_idle = is_idle,
                                                   .peer = wanted != NULL ? wanted->first : 0,
                                                   .child = id,
                                                   .wait = is_waiting ? WAIT_CHILD : WAIT_NOTHING,
                                                   .interruption = INTERRUPTED_MAYBE,
                                                   .is_cancellable = true,
                                                   .place = place});
    task_test_cancel();
    if (!is_there) {
        errno = EINTR;
        return NULL;
    }
    struct process *child = process_ended_child(process_self, id, &has_any);
    errno = child == NULL && !has_any ? ECHILD : 0;
    if (child != NULL) {
        sched_joined(child->first);
        sched_changed();
    }
    return child;
}

/* Whether only the kernel knows of children that may be meant: this process has made some that are
 * not controlled. */
static bool is_elsewhere(pid_t id)
{
    bool has_any = false;
    (void)process_ended_child(process_self, id, &has_any);
    return !has_any && process_has_children();
}

static pid_t wait_for(pid_t id, int *status, int options, const void *place)
{
    const int saved = errno;
    struct process *child = await_child(id, options, place);
    if (child == NULL) {
        const bool has_failed = errno != 0;
        errno = has_failed ? errno : saved;
        return has_failed ? -1 : 0;
    }
    errno = saved;
    if (status != NULL) {
        *status = child->status;
    }
    process_reap(child);
    return child->id;
}

RT_EXPORT pid_t wait4(pid_t id, int *status, int options, struct rusage *usage)
{
    const unsigned known = WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL;
    if (!control_is_mine() || is_elsewhere(id)) {
        if (control_is_mine()) {
            control_outside("wait4");
        }
        return (pid_t)pid_call(SYS_wait4, (const long[6]){id, (long)status, options, (long)usage});
    }
    if (((unsigned)options & ~known) != 0) {
        errno = EINVAL;
        return -1;
    }
    if (usage != NULL) { /* time is virtual, and nothing is used up */
        memset(usage, 0, sizeof *usage);
    }
    return wait_for(id, status, options, RT_PLACE);
}

RT_EXPORT pid_t waitpid(pid_t id, int *status, int options)
{
    return wait4(id, status, options, NULL);
}

RT_EXPORT pid_t wait(int *status)
{
    return wait4(-1, status, 0, NULL);
}

RT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait4(-1, status, options, usage);
}

/* The id as wait4() takes it. */
static bool read_id(idtype_t type, id_t id, pid_t *child)
{
    switch (type) {
    case P_ALL: *child = -1; return true;
    case P_PID: *child = (pid_t)id; return (pid_t)id > 0;
    case P_PGID: *child = id == 0 ? 0 : -(pid_t)id; return (pid_t)id >= 0;
    case P_PIDFD: return false;
    }
    return false;
}

RT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    pid_t meant = 0;
    const bool is_known = read_id(type, id, &meant);
    if (!control_is_mine() || type == P_PIDFD || (is_known && is_elsewhere(meant))) {
        if (control_is_mine()) {
            control_outside("waitid");
        }
        return (int)pid_call(SYS_waitid,
                             (const long[6]){(long)type, (long)id, (long)info, options});
    }
    if (!is_known || (options & (WEXITED | WSTOPPED | WCONTINUED)) == 0) {
        errno = EINVAL;
        return -1;
    }
    const int saved = errno;
    struct process *child = await_child(meant, options, RT_PLACE);
    if (child == NULL && errno != 0) {
        return -1;
    }
    errno = saved;
    if (info != NULL) {
        memset(info, 0, sizeof *info);
    }
    if (child != NULL && info != NULL) {
        info->si_signo = SIGCHLD;
        info->si_code = WIFEXITED(child->status) ? CLD_EXITED : CLD_KILLED;
        info->si_pid = child->id;
        info->si_uid = getuid();
        info->si_status =
            WIFEXITED(child->status) ? WEXITSTATUS(child->status) : WTERMSIG(child->status);
    }
    if (child != NULL && (options & WNOWAIT) == 0) {
        process_reap(child);
    }
    return 0;
}
