/* Every kind of synchronization, used correctly: refused attempts, waits that end by a signal, a
 * deadline, a cancellation or a handler, and all that orders two threads. No two accesses race. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "need.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, checked, robust;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t posted;
static mtx_t c11_lock;
static cnd_t c11_changed;
static atomic_int flag;

static int by_lock, by_recursive, by_checked, by_robust, by_rwlock, by_spin, by_once, by_semaphore,
    by_c11, by_fence, at_exit_count;
static bool has_c11;
static int by_barrier[2];
static volatile sig_atomic_t handled;

static struct timespec soon(void)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return until;
}

static void initialize(void)
{
    by_once = 1;
}

static void use_mutexes(void)
{
    if (pthread_mutex_trylock(&lock) != 0) {
        const struct timespec until = soon();
        const int result = pthread_mutex_timedlock(&lock, &until);
        if (result == ETIMEDOUT) {
            NEED(pthread_mutex_lock(&lock) == 0);
        }
    }
    by_lock++;
    pthread_mutex_unlock(&lock);
    NEED(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
    by_recursive++;
    NEED(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    NEED(pthread_mutex_unlock(&checked) == EPERM);
    NEED(pthread_mutex_lock(&checked) == 0 && pthread_mutex_lock(&checked) == EDEADLK);
    by_checked++;
    NEED(pthread_mutex_unlock(&checked) == 0);
    while (pthread_spin_trylock(&spin) != 0) {
    }
    by_spin++;
    pthread_spin_unlock(&spin);
}

static void use_rwlock(bool is_writer)
{
    if (pthread_rwlock_trywrlock(&rwlock) == 0) {
        by_rwlock++;
        pthread_rwlock_unlock(&rwlock);
    }
    NEED((is_writer ? pthread_rwlock_wrlock(&rwlock) : pthread_rwlock_rdlock(&rwlock)) == 0);
    if (is_writer) {
        by_rwlock++;
    }
    (void)*(volatile int *)&by_rwlock;
    NEED(pthread_rwlock_trywrlock(&rwlock) != 0);
    pthread_rwlock_unlock(&rwlock);
}

/* Whether the signal is lost or not, the wait ends. */
static void wait_a_while(void)
{
    NEED(pthread_mutex_lock(&lock) == 0);
    const struct timespec until = soon();
    (void)pthread_cond_timedwait(&changed, &lock, &until);
    by_lock++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void meet(int self)
{
    by_barrier[self] = 1;
    (void)pthread_barrier_wait(&barrier);
    NEED(by_barrier[!self] == 1);
    (void)pthread_barrier_wait(&barrier);
    by_barrier[self] = 0;
}

static void *work(void *argument)
{
    const int self = argument != NULL;
    use_mutexes();
    use_rwlock(self != 0);
    pthread_once(&once, initialize);
    NEED(by_once == 1);
    wait_a_while();
    meet(self);
    return NULL;
}

static void *post(void *unused)
{
    by_semaphore = 1;
    by_fence = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    sem_post(&posted);
    mtx_lock(&c11_lock);
    by_c11 = 1;
    has_c11 = true;
    cnd_signal(&c11_changed);
    mtx_unlock(&c11_lock);
    return unused;
}

static void receive(void)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) {
        atomic_thread_fence(memory_order_acquire);
        NEED(by_fence == 1);
    }
    if (sem_trywait(&posted) != 0) {
        NEED(sem_wait(&posted) == 0);
    }
    NEED(by_semaphore == 1);
    mtx_lock(&c11_lock);
    while (!has_c11) {
        cnd_wait(&c11_changed, &c11_lock);
    }
    NEED(by_c11 == 1);
    mtx_unlock(&c11_lock);
}

static void unlock(void *unused)
{
    (void)unused;
    by_lock++;
    pthread_mutex_unlock(&lock);
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    while (true) {
        pthread_cond_wait(&never, &lock);
    }
    pthread_cleanup_pop(0);
    return unused;
}

static void *die_holding(void *unused)
{
    NEED(pthread_mutex_lock(&robust) == 0);
    by_robust++;
    pthread_exit(unused);
}

static void inherit(void)
{
    const int result = pthread_mutex_lock(&robust);
    NEED(result == 0 || result == EOWNERDEAD);
    if (result == EOWNERDEAD) {
        NEED(pthread_mutex_consistent(&robust) == 0);
    }
    by_robust++;
    pthread_mutex_unlock(&robust);
}

static void handle(int signal)
{
    handled = signal;
}

/* Only ends the call that it interrupts. */
static void interrupt(int signal)
{
    (void)signal;
}

/* The process ends only behind this. */
static void at_end(void)
{
    pthread_mutex_lock(&lock);
    at_exit_count++;
    pthread_mutex_unlock(&lock);
}

static void make_mutex(pthread_mutex_t *m, int type, int robustness)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robustness);
    NEED(pthread_mutex_init(m, &attributes) == 0);
}

int main(void)
{
    pthread_t threads[5];
    make_mutex(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    make_mutex(&checked, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    make_mutex(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    NEED(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    NEED(pthread_barrier_init(&barrier, NULL, 2) == 0 && sem_init(&posted, 0, 0) == 0);
    NEED(mtx_init(&c11_lock, mtx_plain) == thrd_success && cnd_init(&c11_changed) == thrd_success);
    NEED(atexit(at_end) == 0 && signal(SIGUSR1, handle) != SIG_ERR &&
         signal(SIGUSR2, interrupt) != SIG_ERR);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, &threads);
    pthread_create(&threads[2], NULL, post, NULL);
    pthread_create(&threads[3], NULL, wait_for_ever, NULL);
    pthread_create(&threads[4], NULL, die_holding, NULL);
    NEED(raise(SIGUSR1) == 0 && handled == SIGUSR1);
    receive();
    inherit();
    pthread_kill(threads[3], SIGUSR2);
    pthread_cancel(threads[3]);
    while (pthread_tryjoin_np(threads[0], NULL) == EBUSY) {
        sched_yield();
    }
    for (int i = 1; i < 5; i++) {
        NEED(pthread_join(threads[i], NULL) == 0);
    }
    return 0;
}
