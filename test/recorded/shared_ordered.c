/* Everything that two processes order or guard in memory that they share: no race. */
#include <semaphore.h>
#include <sys/eventfd.h>

#include "shared.h"

enum { ROUNDS = 20 };

struct shared {
    pthread_mutex_t m;
    pthread_cond_t c;
    pthread_rwlock_t rw;
    sem_t turn[2];
    long under_mutex, under_rwlock, under_semaphore, under_file, by_event, by_pipe;
    int is_ready;
};

static struct shared *shared;
static int event, ends[2], file;

static void guard_file(short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    CLAIM(fcntl(file, F_SETLKW, &range) == 0);
}

static void both(int self)
{
    for (int i = 0; i < ROUNDS; i++) {
        CLAIM(pthread_mutex_lock(&shared->m) == 0);
        shared->under_mutex++;
        CLAIM(pthread_mutex_unlock(&shared->m) == 0);
        CLAIM(pthread_rwlock_wrlock(&shared->rw) == 0);
        shared->under_rwlock++;
        CLAIM(pthread_rwlock_unlock(&shared->rw) == 0);
        CLAIM(pthread_rwlock_rdlock(&shared->rw) == 0);
        CLAIM(shared->under_rwlock > 0);
        CLAIM(pthread_rwlock_unlock(&shared->rw) == 0);
        CLAIM(sem_wait(&shared->turn[self]) == 0);
        shared->under_semaphore++;
        CLAIM(sem_post(&shared->turn[1 - self]) == 0);
        guard_file(F_WRLCK);
        shared->under_file++;
        guard_file(F_UNLCK);
    }
}

static void child(void)
{
    both(1);
    shared->by_event = 1;
    CLAIM(eventfd_write(event, 1) == 0);
    shared->by_pipe = 1;
    CLAIM(write(ends[1], "x", 1) == 1);
    CLAIM(pthread_mutex_lock(&shared->m) == 0);
    shared->is_ready = 1;
    CLAIM(pthread_cond_signal(&shared->c) == 0);
    CLAIM(pthread_mutex_unlock(&shared->m) == 0);
}

static void init(void)
{
    pthread_mutexattr_t m;
    pthread_condattr_t c;
    pthread_rwlockattr_t rw;
    CLAIM(pthread_mutexattr_init(&m) == 0 && pthread_condattr_init(&c) == 0);
    CLAIM(pthread_rwlockattr_init(&rw) == 0);
    CLAIM(pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_rwlockattr_setpshared(&rw, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_mutex_init(&shared->m, &m) == 0 && pthread_cond_init(&shared->c, &c) == 0);
    CLAIM(pthread_rwlock_init(&shared->rw, &rw) == 0);
    CLAIM(sem_init(&shared->turn[0], 1, 1) == 0 && sem_init(&shared->turn[1], 1, 0) == 0);
}

int main(void)
{
    char path[] = "ordered-XXXXXX";
    eventfd_t count = 0;
    char byte = 0;
    file = mkstemp(path);
    CLAIM(file >= 0 && unlink(path) == 0);
    shared = map_shared(-1, sizeof *shared);
    event = eventfd(0, 0);
    CLAIM(event >= 0 && pipe(ends) == 0);
    init();
    const pid_t pid = start(child);
    both(0);
    CLAIM(eventfd_read(event, &count) == 0);
    CLAIM(shared->by_event == 1);
    CLAIM(read(ends[0], &byte, 1) == 1);
    CLAIM(shared->by_pipe == 1);
    CLAIM(pthread_mutex_lock(&shared->m) == 0);
    while (shared->is_ready == 0) {
        CLAIM(pthread_cond_wait(&shared->c, &shared->m) == 0);
    }
    CLAIM(pthread_mutex_unlock(&shared->m) == 0);
    wait_for(pid);
    return shared->under_mutex == 2 * ROUNDS ? 0 : 1;
}
