/* Waits for child processes. The events of a child that has ended happen before those of its parent
 * after the wait, as with a joined thread. A wait for any child could have returned another child
 * that ended first; an object that stands for the children of the process orders such waits. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/hooks/wait_internal.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/real.h"

enum { OBJECT_SIZE = 8 };

static void record_child(enum event_kind kind, pid_t parent, const void *place)
{
    const void *object = access_is_told() && rt_is_recording()
                             ? shared_stand_in("children", (uint32_t)parent, OBJECT_SIZE)
                             : NULL;
    if (object != NULL) {
        (void)rt_record((struct rt_event){
            .kind = kind, .mode = ANNOTATION_ANY, .object = object, .place = place});
    }
}

void wait_ends(const void *place)
{
    record_child(EVENT_HAPPENS_BEFORE, getppid(), place);
}

static void record(pid_t pid, bool is_any, const void *place)
{
    const int saved = errno;
    (void)rt_record((struct rt_event){.kind = EVENT_THREAD_JOIN,
                                      .mode = RECORD_OF_CHILD,
                                      .has_value = true,
                                      .value = pid,
                                      .place = place});
    if (is_any) {
        record_child(EVENT_HAPPENS_AFTER, (pid_t)rt_own_pid(), place);
    }
    errno = saved;
}

/* A child that was merely stopped or continued is still running. */
static pid_t waited(pid_t wanted, pid_t pid, const int *status, const void *place)
{
    if (pid > 0 && (WIFEXITED(*status) || WIFSIGNALED(*status))) {
        record(pid, wanted <= 0, place);
    }
    return pid;
}

pid_t wait_recorded(pid_t pid, int *status, const void *place)
{
    return waited(pid, REAL(waitpid)(pid, status, 0), status, place);
}

RT_EXPORT pid_t wait(int *status)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(-1, REAL(wait)(said), said, RT_CALLER);
}

RT_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(pid, REAL(waitpid)(pid, said, options), said, RT_CALLER);
}

RT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(-1, REAL(wait3)(said, options, usage), said, RT_CALLER);
}

RT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(pid, REAL(wait4)(pid, said, options, usage), said, RT_CALLER);
}

RT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own = {0};
    siginfo_t *said = info != NULL ? info : &own;
    said->si_pid = 0; /* the value of a wait that finds no child */
    const int result = REAL(waitid)(type, id, said, options);
    const bool has_ended =
        said->si_code == CLD_EXITED || said->si_code == CLD_KILLED || said->si_code == CLD_DUMPED;
    if (result == 0 && said->si_pid > 0 && has_ended) {
        record(said->si_pid, type == P_ALL || type == P_PGID, RT_CALLER);
    }
    return result;
}
