/* A wait releases a lock of several processes too. Robust ones are the process's own, unless they
 * lie in memory that is not.
 *
 * expect: 1+ wait-begin shm:condition_shared.c:33#1+64
 * expect: 1+ wait-end shm:condition_shared.c:33#1+64
 * expect: 1+ wait-begin c
 * order: main@n unlock shm:condition_shared.c:33#1+0
 * order: main@n wait-begin shm:condition_shared.c:33#1+64
 * order: main@n/1 lock shm:condition_shared.c:33#1+0
 * order: main@n/1 unlock shm:condition_shared.c:33#1+0
 * order: main@n wait-end shm:condition_shared.c:33#1+64
 * order: main@n lock shm:condition_shared.c:33#1+0
 * order: main@n unlock shm:condition_shared.c:33#1+0
 * order: main@n lock m
 * order: main@n wait-begin c
 * order: main/1@n lock m
 * order: main@n wait-end c */
#include "program.h"

static struct shared {
    pthread_mutex_t lock;
    _Alignas(64) pthread_cond_t changed;
    int is_set;
} * shared;
static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_set;

static void wait_for_child(void)
{
    pthread_mutexattr_t attributes;
    pthread_condattr_t of_condition;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CLAIM(shared != MAP_FAILED);
    CLAIM(pthread_mutexattr_init(&attributes) == 0 && pthread_condattr_init(&of_condition) == 0);
    CLAIM(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED) == 0);
    CLAIM(pthread_mutex_init(&shared->lock, &attributes) == 0);
    CLAIM(pthread_cond_init(&shared->changed, &of_condition) == 0);
    CLAIM(pthread_mutex_lock(&shared->lock) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        CLAIM(pthread_mutex_lock(&shared->lock) == 0);
        shared->is_set = 1;
        CLAIM(pthread_cond_signal(&shared->changed) == 0);
        CLAIM(pthread_mutex_unlock(&shared->lock) == 0);
        _exit(0);
    }
    while (!shared->is_set) {
        CLAIM(pthread_cond_wait(&shared->changed, &shared->lock) == 0);
    }
    CLAIM(pthread_mutex_unlock(&shared->lock) == 0);
    child_wait(pid);
}

static void *set(void *argument)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    is_set = 1;
    CLAIM(pthread_cond_signal(&c) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
    return argument;
}

static void wait_for_thread(void)
{
    pthread_mutexattr_t attributes;
    CLAIM(pthread_mutexattr_init(&attributes) == 0);
    CLAIM(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    CLAIM(pthread_mutex_init(&m, &attributes) == 0);
    CLAIM(pthread_mutex_lock(&m) == 0);
    const pthread_t thread = thread_begin(set, NULL);
    while (!is_set) {
        CLAIM(pthread_cond_wait(&c, &m) == 0);
    }
    CLAIM(pthread_mutex_unlock(&m) == 0);
    thread_wait(thread);
}

int main(void)
{
    wait_for_child();
    wait_for_thread();
    return 0;
}
