/* Waits for child processes. A child that has ended comes before what its parent does after the
 * wait, as a joined thread does. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "runtime/record/hooks/wait_internal.h"
#include "runtime/record/log/recorder.h"
#include "runtime/shared/real.h"

static void record(pid_t pid, const void *place)
{
    const int saved = errno;
    (void)rt_record((struct rt_event){.kind = EVENT_THREAD_JOIN,
                                      .mode = RECORD_OF_CHILD,
                                      .has_value = true,
                                      .value = pid,
                                      .place = place});
    errno = saved;
}

/* A child that was merely stopped or continued is still running. */
static pid_t waited(pid_t pid, const int *status, const void *place)
{
    if (pid > 0 && (WIFEXITED(*status) || WIFSIGNALED(*status))) {
        record(pid, place);
    }
    return pid;
}

pid_t wait_recorded(pid_t pid, int *status, const void *place)
{
    return waited(REAL(waitpid)(pid, status, 0), status, place);
}

RT_EXPORT pid_t wait(int *status)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(REAL(wait)(said), said, RT_CALLER);
}

RT_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(REAL(waitpid)(pid, said, options), said, RT_CALLER);
}

RT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(REAL(wait3)(said, options, usage), said, RT_CALLER);
}

RT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    int own = 0;
    int *said = status != NULL ? status : &own;
    return waited(REAL(wait4)(pid, said, options, usage), said, RT_CALLER);
}

RT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own = {0};
    siginfo_t *said = info != NULL ? info : &own;
    said->si_pid = 0; /* what a wait that finds nobody leaves there */
    const int result = REAL(waitid)(type, id, said, options);
    const bool has_ended =
        said->si_code == CLD_EXITED || said->si_code == CLD_KILLED || said->si_code == CLD_DUMPED;
    if (result == 0 && said->si_pid > 0 && has_ended) {
        record(said->si_pid, RT_CALLER);
    }
    return result;
}
