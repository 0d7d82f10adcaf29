/* Children are named by their creation, whenever they run.
 *
 * expect: 3 process-fork
 * order: main@n process-fork
 * order: main@n/1 process-fork
 * order: main@n/1/1 process-exit
 * order: main@n/1 process-exit
 * order: main@n/2 process-exit value=0
 * order: main@n process-exit value=5
 * status: 5 */
#include "program.h"

int main(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        pid = fork();
        if (pid != 0) {
            child_wait(pid);
        }
        return 0;
    }
    child_wait(pid);
    pid = fork();
    if (pid == 0) {
        return 0;
    }
    child_wait(pid);
    return 5;
}
