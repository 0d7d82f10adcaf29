/* Each operation that control stands in for, used rightly: a run ends with status 0 whoever goes
 * when, and with another when something did not do what it says. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "need.h"

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t robust;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag once_c11 = ONCE_FLAG_INIT;
static sem_t semaphore;
static pthread_key_t key;
static mtx_t lock_c11;
static cnd_t changed_c11;
static int made, made_c11, destroyed, stage, value, leaders;
static atomic_int flag;
static _Thread_local int own = 7;

static void make(void)
{
    made++;
}

static void make_c11(void)
{
    made_c11++;
}

static void destroy(void *unused)
{
    (void)unused;
    (void)pthread_mutex_lock(&plain);
    destroyed++;
    (void)pthread_mutex_unlock(&plain);
}

static struct timespec soon(clockid_t clock)
{
    struct timespec t;
    NEED(clock_gettime(clock, &t) == 0);
    t.tv_sec++;
    return t;
}

static void use_mutexes(void)
{
    const struct timespec until = soon(CLOCK_REALTIME);
    NEED(pthread_mutex_lock(&recursive) == 0);
    NEED(pthread_mutex_lock(&recursive) == 0);
    NEED(pthread_mutex_trylock(&recursive) == 0);
    for (int i = 0; i < 3; i++) {
        NEED(pthread_mutex_unlock(&recursive) == 0);
    }
    NEED(pthread_mutex_unlock(&checking) == EPERM);
    NEED(pthread_mutex_lock(&checking) == 0);
    NEED(pthread_mutex_lock(&checking) == EDEADLK);
    NEED(pthread_mutex_trylock(&checking) == EBUSY);
    NEED(pthread_mutex_unlock(&checking) == 0);
    const int timed = pthread_mutex_timedlock(&plain, &until);
    NEED(timed == 0 || timed == ETIMEDOUT);
    if (timed == 0) {
        value++;
        NEED(pthread_mutex_unlock(&plain) == 0);
    }
}

static void use_locks(void)
{
    NEED(pthread_rwlock_rdlock(&table) == 0);
    NEED(pthread_rwlock_unlock(&table) == 0);
    NEED(pthread_rwlock_wrlock(&table) == 0);
    NEED(pthread_rwlock_tryrdlock(&table) == EBUSY);
    NEED(pthread_rwlock_unlock(&table) == 0);
    NEED(pthread_spin_lock(&spin) == 0);
    NEED(pthread_spin_trylock(&spin) == EBUSY);
    NEED(pthread_spin_unlock(&spin) == 0);
    NEED(sem_wait(&semaphore) == 0);
    NEED(sem_post(&semaphore) == 0);
    NEED(pthread_once(&once, make) == 0 && made == 1);
    call_once(&once_c11, make_c11);
    NEED(made_c11 == 1);
}

static void use_condition(void)
{
    NEED(pthread_mutex_lock(&plain) == 0);
    stage++;
    NEED(pthread_cond_broadcast(&changed) == 0);
    while (stage < 2) {
        NEED(pthread_cond_wait(&changed, &plain) == 0);
    }
    NEED(pthread_mutex_unlock(&plain) == 0);
    pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    const struct timespec until = soon(CLOCK_REALTIME);
    NEED(pthread_mutex_lock(&alone) == 0);
    NEED(pthread_cond_timedwait(&never, &alone, &until) == ETIMEDOUT);
    NEED(pthread_mutex_unlock(&alone) == 0);
    struct timespec after;
    NEED(clock_gettime(CLOCK_REALTIME, &after) == 0);
    NEED(after.tv_sec >= until.tv_sec);
}

/* A thread's stack is where its variables are. */
static void use_stack(void)
{
    pthread_attr_t attributes;
    void *base = NULL;
    size_t size = 0;
    const uintptr_t here = (uintptr_t)&attributes;
    NEED(pthread_getattr_np(pthread_self(), &attributes) == 0);
    NEED(pthread_attr_getstack(&attributes, &base, &size) == 0);
    NEED(here > (uintptr_t)base && here - (uintptr_t)base < size);
    NEED(pthread_attr_destroy(&attributes) == 0);
}

static void *work(void *unused)
{
    use_stack();
    NEED(own == 7);
    own = (int)(uintptr_t)pthread_self();
    NEED(pthread_setspecific(key, &own) == 0);
    use_mutexes();
    use_locks();
    use_condition();
    const int led = pthread_barrier_wait(&barrier);
    NEED(led == 0 || led == PTHREAD_BARRIER_SERIAL_THREAD);
    NEED(pthread_mutex_lock(&plain) == 0);
    leaders += led != 0;
    NEED(pthread_mutex_unlock(&plain) == 0);
    while (atomic_load(&flag) == 0) {
        (void)sched_yield();
    }
    NEED(own == (int)(uintptr_t)pthread_self());
    NEED(pthread_getspecific(key) == &own);
    pthread_exit(unused);
}

/* Nanoseconds that are a second and more are no moment. */
static void use_no_moments(void)
{
    sem_t none;
    struct timespec wrong = soon(CLOCK_REALTIME);
    wrong.tv_nsec = 1000000000;
    NEED(sem_init(&none, 0, 0) == 0);
    NEED(pthread_mutex_timedlock(&plain, &wrong) == 0);
    NEED(pthread_mutex_timedlock(&plain, &wrong) == EINVAL);
    NEED(pthread_cond_timedwait(&changed, &plain, &wrong) == EINVAL);
    NEED(pthread_mutex_unlock(&plain) == 0);
    NEED(pthread_rwlock_timedrdlock(&table, &wrong) == EINVAL);
    NEED(sem_timedwait(&none, &wrong) == -1 && errno == EINVAL);
    NEED(clock_gettime(CLOCK_TAI + 1, &wrong) == -1 && errno == EINVAL);
}

static void *die_with_it(void *unused)
{
    NEED(pthread_mutex_lock(&robust) == 0);
    return unused;
}

static void use_robust(void)
{
    pthread_mutexattr_t attributes;
    pthread_t thread;
    NEED(pthread_mutexattr_init(&attributes) == 0);
    NEED(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    NEED(pthread_mutex_init(&robust, &attributes) == 0);
    NEED(pthread_create(&thread, NULL, die_with_it, NULL) == 0);
    NEED(pthread_join(thread, NULL) == 0);
    NEED(pthread_mutex_lock(&robust) == EOWNERDEAD);
    NEED(pthread_mutex_consistent(&robust) == 0);
    NEED(pthread_create(&thread, NULL, die_with_it, NULL) == 0);
    const struct timespec until = soon(CLOCK_REALTIME);
    const int waited = pthread_cond_timedwait(&changed, &robust, &until);
    NEED(waited == EOWNERDEAD || waited == ETIMEDOUT);
    NEED(waited == ETIMEDOUT || pthread_mutex_consistent(&robust) == 0);
    NEED(pthread_mutex_unlock(&robust) == 0);
    NEED(pthread_join(thread, NULL) == 0);
    if (waited == ETIMEDOUT) {
        NEED(pthread_mutex_lock(&robust) == EOWNERDEAD && pthread_mutex_consistent(&robust) == 0);
        NEED(pthread_mutex_unlock(&robust) == 0);
    }
    NEED(pthread_mutex_lock(&robust) == 0);
    NEED(pthread_mutex_unlock(&robust) == 0);
}

static void *wait_for_ever(void *unused)
{
    (void)sleep(1000000);
    return unused;
}

static void use_cancel(void)
{
    pthread_t thread;
    void *result = NULL;
    NEED(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
    NEED(pthread_cancel(thread) == 0);
    NEED(pthread_join(thread, &result) == 0);
    NEED(result == PTHREAD_CANCELED || result == NULL);
}

static void *spin_for_ever(void *unused)
{
    int before = -1;
    NEED(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0);
    NEED(before == PTHREAD_CANCEL_DEFERRED);
    while (1) {
        (void)sched_yield();
    }
    return unused;
}

static void *lock_for_ever(void *unused)
{
    NEED(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
    NEED(pthread_mutex_lock(&plain) == 0);
    return unused;
}

/* One who says so is cancelled wherever it is. */
static void use_prompt_cancel(void)
{
    pthread_t threads[2];
    void *result = NULL;
    NEED(pthread_mutex_lock(&plain) == 0);
    NEED(pthread_create(&threads[0], NULL, spin_for_ever, NULL) == 0);
    NEED(pthread_create(&threads[1], NULL, lock_for_ever, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        NEED(pthread_cancel(threads[i]) == 0);
        NEED(pthread_join(threads[i], &result) == 0 && result == PTHREAD_CANCELED);
    }
    NEED(pthread_mutex_unlock(&plain) == 0);
}

static void *try_once_cancelled(void *tried)
{
    sem_t none;
    NEED(sem_init(&none, 0, 0) == 0);
    (void)pthread_mutex_lock(&plain);
    (void)pthread_mutex_unlock(&plain);
    NEED(sem_trywait(&none) == -1 && errno == EAGAIN);
    *(int *)tried = 1;
    pthread_testcancel();
    return NULL;
}

/* Trying to take a semaphore is no place to be cancelled, and a full one takes no more. */
static void use_semaphores(void)
{
    pthread_t thread;
    void *result = NULL;
    int tried = 0;
    sem_t full;
    (void)pthread_mutex_lock(&plain);
    NEED(pthread_create(&thread, NULL, try_once_cancelled, &tried) == 0);
    NEED(pthread_cancel(thread) == 0);
    (void)pthread_mutex_unlock(&plain);
    NEED(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED && tried == 1);
    NEED(sem_init(&full, 0, SEM_VALUE_MAX) == 0);
    NEED(sem_post(&full) == -1 && errno == EOVERFLOW);
}

static int work_c11(void *unused)
{
    (void)unused;
    NEED(mtx_lock(&lock_c11) == thrd_success);
    value = 100;
    NEED(cnd_signal(&changed_c11) == thrd_success);
    NEED(mtx_unlock(&lock_c11) == thrd_success);
    thrd_exit(42);
}

static void use_c11(void)
{
    thrd_t thread;
    int result = 0;
    NEED(mtx_init(&lock_c11, mtx_plain) == thrd_success);
    NEED(cnd_init(&changed_c11) == thrd_success);
    NEED(mtx_lock(&lock_c11) == thrd_success);
    NEED(thrd_create(&thread, work_c11, NULL) == thrd_success);
    while (value != 100) {
        NEED(cnd_wait(&changed_c11, &lock_c11) == thrd_success);
    }
    NEED(mtx_unlock(&lock_c11) == thrd_success);
    NEED(thrd_join(thread, &result) == thrd_success && result == 42);
}

static void use_time(void)
{
    struct timespec before;
    struct timespec after;
    NEED(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
    NEED(usleep(2000000) == 0);
    NEED(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
    NEED(after.tv_sec >= before.tv_sec + 2);
    NEED(time(NULL) > 0);
    unsigned char drawn[16] = {0};
    const unsigned char zero[16] = {0};
    NEED(getrandom(drawn, sizeof drawn, 0) == sizeof drawn);
    NEED(memcmp(drawn, zero, sizeof drawn) != 0);
}

static void use_heap(void)
{
    char *text = malloc(100);
    NEED(text != NULL);
    memset(text, 'x', 100);
    text = realloc(text, 100000);
    NEED(text != NULL && text[99] == 'x');
    free(text);
    void *aligned = NULL;
    NEED(posix_memalign(&aligned, 4096, 10) == 0 && (uintptr_t)aligned % 4096 == 0);
    free(aligned);
    NEED(posix_memalign(&aligned, 2 << 20, 10) == 0 && (uintptr_t)aligned % (2 << 20) == 0);
    memset(aligned, 'x', 10);
    free(aligned);
    char *large = calloc(3, 1000000);
    NEED(large != NULL && large[2999999] == 0);
    free(large);
}

int main(void)
{
    pthread_t threads[2];
    int words[2];
    void *result = NULL;
    NEED(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    NEED(pthread_barrier_init(&barrier, NULL, 2) == 0);
    NEED(sem_init(&semaphore, 0, 1) == 0);
    NEED(pthread_key_create(&key, destroy) == 0);
    use_heap();
    for (int i = 0; i < 2; i++) {
        NEED(pthread_create(&threads[i], NULL, work, &words[i]) == 0);
    }
    atomic_store(&flag, 1);
    for (int i = 0; i < 2; i++) {
        NEED(pthread_join(threads[i], &result) == 0 && result == &words[i]);
    }
    NEED(leaders == 1 && destroyed == 2 && own == 7);
    NEED(pthread_barrier_destroy(&barrier) == 0 && pthread_rwlock_destroy(&table) == 0);
    use_no_moments();
    use_robust();
    use_cancel();
    use_prompt_cancel();
    use_semaphores();
    use_c11();
    use_time();
    return 0;
}
