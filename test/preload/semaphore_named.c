/* A semaphore with a name has that name in every process.
 *
 * expect: 2 sem-init shm:sem/clew-test-named+0 value=0
 * expect: 2 sem-post shm:sem/clew-test-named+0
 * expect: 2 sem-wait shm:sem/clew-test-named+0 */
#include <fcntl.h>
#include <semaphore.h>

#include "program.h"

static const char name[] = "/clew-test-named";

int main(void)
{
    (void)sem_unlink(name);
    sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    CLAIM(s != SEM_FAILED);
    const pid_t pid = fork();
    if (pid == 0) {
        CLAIM(sem_close(s) == 0);
        sem_t *again = sem_open(name, 0);
        CLAIM(again != SEM_FAILED);
        CLAIM(sem_post(again) == 0);
        CLAIM(sem_post(again) == 0);
        return 0;
    }
    CLAIM(sem_wait(s) == 0);
    CLAIM(sem_wait(s) == 0);
    child_wait(pid);
    CLAIM(sem_unlink(name) == 0);
    return 0;
}
