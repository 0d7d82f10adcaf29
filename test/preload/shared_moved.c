/* Shared memory keeps its name when it moves and when a part of it is unmapped; System V segments
 * have one, too.
 *
 * expect: 1 lock shm:moved.bin+0
 * expect: 1 lock shm:moved.bin+8192
 * expect: 1 lock shm:moved.bin+4096
 * expect: 4 lock */
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "program.h"

enum { PAGE = 4096 };

static void use(char *at)
{
    pthread_mutex_t *m = (pthread_mutex_t *)(void *)at;
    pthread_mutexattr_t attributes;
    CLAIM(pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_mutex_init(m, &attributes) == 0);
    CLAIM(pthread_mutex_lock(m) == 0);
    CLAIM(pthread_mutex_unlock(m) == 0);
}

int main(void)
{
    const int fd = open("moved.bin", O_RDWR | O_CREAT, 0600);
    CLAIM(ftruncate(fd, 4 * PAGE) == 0);
    char *at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CLAIM(at != MAP_FAILED);
    CLAIM(munmap(at + PAGE, PAGE) == 0);
    use(at);
    use(at + 2 * PAGE);
    char *second = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE);
    CLAIM(second != MAP_FAILED);
    char *moved = mremap(second, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
    CLAIM(moved != MAP_FAILED);
    use(moved);
    const int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    CLAIM(id >= 0);
    char *segment = shmat(id, NULL, 0);
    CLAIM(shmctl(id, IPC_RMID, NULL) == 0);
    use(segment + 64);
    CLAIM(shmdt(segment) == 0);
    return 0;
}
