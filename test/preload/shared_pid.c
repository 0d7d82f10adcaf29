/* A name that is built from the pid is the same in every run.
 *
 * order: main@n lock shm:/clew-test-PID
 * order: main@n unlock shm:/clew-test-PID */
#include <fcntl.h>

#include "program.h"

int main(void)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/clew-test-%d", (int)getpid());
    const int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    CLAIM(fd >= 0 && ftruncate(fd, 4096) == 0 && shm_unlink(name) == 0);
    pthread_mutex_t *lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_mutexattr_t attributes;
    CLAIM(lock != MAP_FAILED && pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_mutex_init(lock, &attributes) == 0);
    CLAIM(pthread_mutex_lock(lock) == 0 && pthread_mutex_unlock(lock) == 0);
    return 0;
}
