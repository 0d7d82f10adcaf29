/* A spawned program is recorded, and so is a command of the shell.
 *
 * expect: 2 lock m
 * order: main@n/1 process-start
 * order: main@n/1 lock m
 * order: main@n/2 process-start */
#include <spawn.h>

#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(int count, char **words)
{
    if (count > 1) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        CLAIM(pthread_mutex_unlock(&m) == 0);
        return 0;
    }
    char again[] = "again";
    char *const arguments[] = {words[0], again, NULL};
    char *const environment[] = {NULL};
    pid_t pid = 0;
    CLAIM(posix_spawn(&pid, words[0], NULL, NULL, arguments, environment) == 0);
    child_wait(pid);
    CLAIM(posix_spawnp(&pid, words[0], NULL, NULL, arguments, environ) == 0);
    child_wait(pid);
    return 0;
}
