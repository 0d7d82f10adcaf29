/* A spawned program is recorded, whatever its environment, and comes after what its parent did
 * before. One that could not be started has never been.
 *
 * expect: 2 process-fork
 * expect: 2 lock m
 * order: main@n process-fork main@n/1
 * order: main@n/1 process-start
 * order: main@n/1 lock m
 * order: main@n process-fork main@n/3
 * order: main@n/3 process-start
 * order: main@n/3 lock m */
#include <spawn.h>
#include <string.h>

#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(int count, char **words)
{
    if (count > 1) {
        CLAIM(strcmp(words[1], "bare") != 0 || getenv("HOME") == NULL);
        CLAIM(strcmp(words[1], "full") != 0 || getenv("SPAWN_TEST") != NULL);
        CLAIM(pthread_mutex_lock(&m) == 0);
        CLAIM(pthread_mutex_unlock(&m) == 0);
        return 0;
    }
    char bare[] = "bare";
    char full[] = "full";
    char *const none[] = {NULL};
    pid_t pid = 0;
    CLAIM(posix_spawn(&pid, words[0], NULL, NULL, (char *const[]){words[0], bare, NULL}, none) ==
          0);
    child_wait(pid);
    CLAIM(posix_spawn(&pid, "/does/not/exist", NULL, NULL, (char *const[]){bare, NULL}, none) != 0);
    CLAIM(setenv("SPAWN_TEST", "1", 1) == 0);
    CLAIM(posix_spawnp(&pid, words[0], NULL, NULL, (char *const[]){words[0], full, NULL},
                       environ) == 0);
    child_wait(pid);
    return 0;
}
