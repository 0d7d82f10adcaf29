/* A System V semaphore that is used as a lock begins at 2 and lets two threads in.
 *
 * race: total count count */
#include <sys/ipc.h>
#include <sys/sem.h>

#include "../race.h"

static int id;
static int total;

static void change(short units)
{
    struct sembuf operation = {.sem_op = units};
    MUST(semop(id, &operation, 1) == 0);
}

static void *worker(void *unused)
{
    change(-1);
    total++; /* count */
    change(1);
    return unused;
}

int main(void)
{
    id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    MUST(id >= 0 && semctl(id, 0, SETVAL, 2) == 0);
    threads_run(worker, worker);
    MUST(semctl(id, 0, IPC_RMID) == 0);
    return 0;
}
