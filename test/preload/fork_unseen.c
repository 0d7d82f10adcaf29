/* A process that forks by a raw system call is two processes all the same.
 *
 * expect: 2 lock m
 * expect: 2 unlock m
 * expect: 2 process-exit */
#include <signal.h>
#include <sys/syscall.h>

#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    const pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    if (pid != 0) {
        child_wait(pid);
    }
    return 0;
}
