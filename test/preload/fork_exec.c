/* A child becomes another program, which is recorded under the same name, whatever its environment.
 *
 * expect: 2 process-exec
 * expect: 2 lock m
 * order: main@n process-fork
 * order: main@n/1 process-exec
 * order: main@n/1 lock m
 * order: main@n/2 process-exec
 * order: main@n/2 lock m */
#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(int count, char **words)
{
    if (count > 1) {
        CLAIM(pthread_mutex_lock(&m) == 0);
        CLAIM(pthread_mutex_unlock(&m) == 0);
        return 0;
    }
    pid_t pid = fork();
    if (pid == 0) {
        char *const environment[] = {NULL};
        (void)execle("/does/not/exist", "x", NULL, environment);
        (void)execle(words[0], words[0], "again", NULL, environment);
        _exit(1);
    }
    child_wait(pid);
    pid = vfork();
    if (pid == 0) {
        char again[] = "again";
        char *const arguments[] = {words[0], again, NULL};
        (void)execvp(words[0], arguments);
        _exit(1);
    }
    child_wait(pid);
    return 0;
}
