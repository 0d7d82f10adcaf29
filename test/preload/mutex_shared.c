/* A lock in memory that processes share is one lock.
 *
 * expect: 200 lock shm:mutex_shared.c:19#1+0
 * expect: 200 unlock shm:mutex_shared.c:19#1+0
 * expect: 1 process-fork */
#include "program.h"

static void use(pthread_mutex_t *m)
{
    for (int i = 0; i < 100; i++) {
        CLAIM(pthread_mutex_lock(m) == 0);
        CLAIM(pthread_mutex_unlock(m) == 0);
    }
}

int main(void)
{
    pthread_mutex_t *m =
        mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    CLAIM(m != MAP_FAILED);
    CLAIM(pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_mutex_init(m, &attributes) == 0);
    const pid_t pid = fork();
    use(m);
    if (pid != 0) {
        child_wait(pid);
    }
    return 0;
}
