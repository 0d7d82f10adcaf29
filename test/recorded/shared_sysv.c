/* System V shared memory, attached by a parent and its child, each for itself.
 *
 * race: parent_writes child_writes */
#include <sys/ipc.h>
#include <sys/shm.h>

#include "shared.h"

static int id;

static long *attach(void)
{
    long *at = shmat(id, NULL, 0);
    CLAIM(at != (void *)-1);
    return at;
}

static void child(void)
{
    long *s = attach();
    s[3] = 1; /* child_writes */
    s[4] = 42;
    CLAIM(shmdt(s) == 0);
}

int main(void)
{
    id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    CLAIM(id >= 0);
    const pid_t pid = start(child);
    long *s = attach();
    CLAIM(shmctl(id, IPC_RMID, NULL) == 0);
    s[3] = 2; /* parent_writes */
    wait_for(pid);
    return s[4] == 42 ? 0 : 1;
}
