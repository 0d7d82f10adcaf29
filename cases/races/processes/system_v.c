/* Two children attach a System V segment and write the same cell.
 *
 * race: shm: add add */
#include <sys/ipc.h>
#include <sys/shm.h>

#include "../race.h"

static int segment;

static void child_body(void)
{
    int *cells = shmat(segment, NULL, 0);
    MUST(cells != (void *)-1);
    cells[1]++; /* add */
    MUST(shmdt(cells) == 0);
}

int main(void)
{
    segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    MUST(segment >= 0);
    const pid_t a = process_start(child_body);
    const pid_t b = process_start(child_body);
    process_join(a);
    process_join(b);
    MUST(shmctl(segment, IPC_RMID, NULL) == 0);
    return 0;
}
