/* Mutexes, conditions, read-write locks, spin locks, barriers, semaphores, once. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/hooks/sync_shared.h"
#include "runtime/record/log/recorder.h"
#include "runtime/shared/real.h"

struct rt_mark sync_announce(enum event_kind kind, uint8_t mode, const volatile void *object,
                             const void *place)
{
    return rt_record(
        (struct rt_event){.kind = kind, .mode = mode, .object = object, .place = place});
}

void sync_record(enum event_kind kind, uint8_t mode, const volatile void *object, const void *place)
{
    (void)sync_announce(kind, mode, object, place);
}

/* Records the acquisition when it succeeded; a robust mutex whose owner died is acquired too. The
 * mode has LOCK_TRY where the call gives up instead of blocking for ever. */
static int acquired(int result, uint8_t mode, const volatile void *lock, const void *place)
{
    if (result == 0 || result == EOWNERDEAD) {
        sync_record(EVENT_LOCK, mode, lock, place);
    }
    return result;
}

/* glibc keeps "shared between processes" in bit 7 of the mutex's kind, and sets it for robust
 * mutexes too; no function returns it for an initialized one. A mutex in private memory is private,
 * whatever the bit. */
uint8_t sync_mutex_mode(const pthread_mutex_t *m)
{
    return (m->__data.__kind & 0x80) != 0 && shared_has(m) ? LOCK_PSHARED_MUTEX : LOCK_MUTEX;
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    return acquired(REAL(pthread_mutex_lock)(m), sync_mutex_mode(m), m, RT_PLACE);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    return acquired(REAL(pthread_mutex_trylock)(m), sync_mutex_mode(m) | LOCK_TRY, m, RT_PLACE);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    return acquired(REAL(pthread_mutex_timedlock)(m, until), sync_mutex_mode(m) | LOCK_TRY, m,
                    RT_PLACE);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                      const struct timespec *until)
{
    return acquired(REAL(pthread_mutex_clocklock)(m, clock, until), sync_mutex_mode(m) | LOCK_TRY,
                    m, RT_PLACE);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    const struct rt_mark mark = sync_announce(EVENT_UNLOCK, sync_mutex_mode(m), m, RT_PLACE);
    return rt_amend_done(mark, REAL(pthread_mutex_unlock)(m));
}

/* A wait: the lock is released at its beginning and held again at its end, however it ended. `more`
 * names the lock, if it is one of the process; one of several is released and acquired by events of
 * its own, because a wait does not say whose its lock is. */
void sync_record_wait(enum event_kind kind, const pthread_cond_t *c, const pthread_mutex_t *m,
                      const void *place)
{
    const uint64_t lock = (uintptr_t)m;
    const uint8_t mode = sync_mutex_mode(m);
    const bool is_own = mode == LOCK_MUTEX;
    if (!is_own && kind == EVENT_WAIT_BEGIN) {
        sync_record(EVENT_UNLOCK, mode, m, place);
    }
    (void)rt_record((struct rt_event){.kind = kind,
                                      .object = c,
                                      .place = place,
                                      .more = &lock,
                                      .more_size = is_own ? sizeof lock : 0});
    if (!is_own && kind == EVENT_WAIT_END) {
        sync_record(EVENT_LOCK, mode, m, place);
    }
}

struct wait {
    const pthread_cond_t *condition;
    const pthread_mutex_t *lock;
    const void *place;
};

/* A cancelled wait holds the lock again while the cleanup handlers run. */
static void wait_end(void *argument)
{
    const struct wait *wait = argument;
    sync_record_wait(EVENT_WAIT_END, wait->condition, wait->lock, wait->place);
}

#define WAIT(call)                                      \
    struct wait wait = {c, m, RT_PLACE};                \
    int result = 0;                                     \
    sync_record_wait(EVENT_WAIT_BEGIN, c, m, RT_PLACE); \
    pthread_cleanup_push(wait_end, &wait);              \
    result = call;                                      \
    pthread_cleanup_pop(1);                             \
    return result

RT_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    WAIT(REAL(pthread_cond_wait)(c, m));
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                     const struct timespec *until)
{
    WAIT(REAL(pthread_cond_timedwait)(c, m, until));
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                     const struct timespec *until)
{
    WAIT(REAL(pthread_cond_clockwait)(c, m, clock, until));
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    sync_record(EVENT_SIGNAL, MODE_UNSAID, c, RT_PLACE);
    return REAL(pthread_cond_signal)(c);
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    sync_record(EVENT_BROADCAST, MODE_UNSAID, c, RT_PLACE);
    return REAL(pthread_cond_broadcast)(c);
}

static uint8_t rwlock_mode(const pthread_rwlock_t *l, bool is_shared)
{
    if (l->__data.__shared != 0 && shared_has(l)) {
        return is_shared ? LOCK_PSHARED_READ : LOCK_PSHARED_WRITE;
    }
    return is_shared ? LOCK_RW_READ : LOCK_RW_WRITE;
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    return acquired(REAL(pthread_rwlock_rdlock)(l), rwlock_mode(l, true), l, RT_PLACE);
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    return acquired(REAL(pthread_rwlock_tryrdlock)(l), rwlock_mode(l, true) | LOCK_TRY, l,
                    RT_PLACE);
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
    return acquired(REAL(pthread_rwlock_timedrdlock)(l, until), rwlock_mode(l, true) | LOCK_TRY, l,
                    RT_PLACE);
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    return acquired(REAL(pthread_rwlock_wrlock)(l), rwlock_mode(l, false), l, RT_PLACE);
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    return acquired(REAL(pthread_rwlock_trywrlock)(l), rwlock_mode(l, false) | LOCK_TRY, l,
                    RT_PLACE);
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
    return acquired(REAL(pthread_rwlock_timedwrlock)(l, until), rwlock_mode(l, false) | LOCK_TRY, l,
                    RT_PLACE);
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *until)
{
    return acquired(REAL(pthread_rwlock_clockrdlock)(l, clock, until),
                    rwlock_mode(l, true) | LOCK_TRY, l, RT_PLACE);
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *until)
{
    return acquired(REAL(pthread_rwlock_clockwrlock)(l, clock, until),
                    rwlock_mode(l, false) | LOCK_TRY, l, RT_PLACE);
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    /* The one who holds it for writing is the one who may release it. */
    const bool is_writer = l->__data.__cur_writer == (int)rt_own_tid();
    const struct rt_mark mark =
        sync_announce(EVENT_UNLOCK, rwlock_mode(l, !is_writer), l, RT_PLACE);
    return rt_amend_done(mark, REAL(pthread_rwlock_unlock)(l));
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    return acquired(REAL(pthread_spin_lock)(l), LOCK_MUTEX, l, RT_PLACE);
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
    return acquired(REAL(pthread_spin_trylock)(l), LOCK_TRY_MUTEX, l, RT_PLACE);
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    sync_record(EVENT_UNLOCK, LOCK_MUTEX, l, RT_PLACE);
    return REAL(pthread_spin_unlock)(l);
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    sync_record(EVENT_BARRIER_ENTER, MODE_UNSAID, b, RT_PLACE);
    const int result = REAL(pthread_barrier_wait)(b);
    if (result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD) {
        sync_record(EVENT_BARRIER_EXIT, MODE_UNSAID, b, RT_PLACE);
    }
    return result;
}

/* The initializer that the calling thread has been asked to run, and where. */
static __thread struct initializer {
    void (*run)(void);
    const pthread_once_t *once;
    const void *place;
    bool has_run;
} initializer;

static void initialize(void)
{
    struct initializer own = initializer; /* it may use another once */
    sync_record(EVENT_ONCE_BEGIN, MODE_UNSAID, own.once, own.place);
    own.run();
    sync_record(EVENT_ONCE, MODE_UNSAID, own.once, own.place);
    own.has_run = true;
    initializer = own;
}

int sync_once(int (*real)(pthread_once_t *, void (*)(void)), pthread_once_t *once,
              void (*run)(void), const void *place)
{
    const struct initializer before = initializer;
    initializer = (struct initializer){.run = run, .once = once, .place = place};
    const int result = real(once, initialize);
    if (result == 0 && !initializer.has_run) {
        sync_record(EVENT_ONCE, MODE_UNSAID, once, place);
    }
    initializer = before;
    return result;
}

RT_EXPORT int pthread_once(pthread_once_t *once, void (*run)(void))
{
    return sync_once(REAL(pthread_once), once, run, RT_PLACE);
}

/* The initial count says which waits needed no post. */
void sync_record_semaphore(const sem_t *s, unsigned value, const void *place)
{
    const int saved = errno;
    (void)rt_record((struct rt_event){.kind = EVENT_SEM_INIT,
                                      .object = s,
                                      .has_value = true,
                                      .value = (int64_t)value,
                                      .place = place});
    errno = saved;
}

RT_EXPORT int sem_init(sem_t *s, int is_shared, unsigned value)
{
    const int result = REAL(sem_init)(s, is_shared, value);
    if (result == 0) {
        sync_record_semaphore(s, value, RT_PLACE);
    }
    return result;
}

static int lowered(int result, const sem_t *s, uint8_t mode, const void *place)
{
    if (result == 0) {
        sync_record(EVENT_SEM_WAIT, mode, s, place);
    }
    return result;
}

RT_EXPORT int sem_wait(sem_t *s)
{
    return lowered(REAL(sem_wait)(s), s, SEMAPHORE_BLOCKING, RT_PLACE);
}

RT_EXPORT int sem_trywait(sem_t *s)
{
    return lowered(REAL(sem_trywait)(s), s, MODE_UNSAID, RT_PLACE);
}

RT_EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
    return lowered(REAL(sem_timedwait)(s, until), s, MODE_UNSAID, RT_PLACE);
}

RT_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    return lowered(REAL(sem_clockwait)(s, clock, until), s, MODE_UNSAID, RT_PLACE);
}

RT_EXPORT int sem_post(sem_t *s)
{
    const struct rt_mark mark = sync_announce(EVENT_SEM_POST, MODE_UNSAID, s, RT_PLACE);
    return rt_amend_done(mark, REAL(sem_post)(s));
}

/* ---- locks of streams ---- */

RT_EXPORT void flockfile(FILE *file)
{
    REAL(flockfile)(file);
    sync_record(EVENT_LOCK, LOCK_MUTEX, file, RT_PLACE);
}

RT_EXPORT int ftrylockfile(FILE *file)
{
    return acquired(REAL(ftrylockfile)(file), LOCK_MUTEX | LOCK_TRY, file, RT_PLACE);
}

RT_EXPORT void funlockfile(FILE *file)
{
    sync_record(EVENT_UNLOCK, LOCK_MUTEX, file, RT_PLACE);
    REAL(funlockfile)(file);
}
