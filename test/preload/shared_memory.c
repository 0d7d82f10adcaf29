/* Semaphores and locks in a mapped file have one name in both processes.
 *
 * expect: 1 sem-post shm:shared.bin+0
 * expect: 1 sem-wait shm:shared.bin+0
 * expect: 2 lock shm:shared.bin+64
 * expect: 2 unlock shm:shared.bin+64 */
#include <fcntl.h>
#include <semaphore.h>

#include "program.h"

struct shared {
    _Alignas(64) sem_t ready;
    _Alignas(64) pthread_mutex_t m;
};

static void use(pthread_mutex_t *m)
{
    CLAIM(pthread_mutex_lock(m) == 0);
    CLAIM(pthread_mutex_unlock(m) == 0);
}

static struct shared *map(int fd)
{
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CLAIM(s != MAP_FAILED);
    return s;
}

int main(void)
{
    const int fd = open("shared.bin", O_RDWR | O_CREAT, 0600);
    CLAIM(ftruncate(fd, sizeof(struct shared)) == 0);
    struct shared *s = map(fd);
    pthread_mutexattr_t attributes;
    CLAIM(pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_mutex_init(&s->m, &attributes) == 0);
    CLAIM(sem_init(&s->ready, 1, 0) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        struct shared *again = map(fd); /* at another address */
        use(&again->m);
        CLAIM(sem_post(&again->ready) == 0);
        return 0;
    }
    CLAIM(sem_wait(&s->ready) == 0);
    use(&s->m);
    child_wait(pid);
    return 0;
}
