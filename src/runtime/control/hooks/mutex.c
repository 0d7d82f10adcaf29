/* Mutexes, read-write locks, spin locks, semaphores, barriers, once: modelled in the program's own
 * objects, so that initializers, init functions and copies mean what they always did. A field that
 * names a thread names a task here, counted from 1. Until the first run begins, and in processes
 * that the program forks, the real functions are called. */
#include "runtime/control/hooks/mutex.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/control/model/imports.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/real.h"

/* glibc's mutex: the kind's lowest bits are the type. */
enum { KIND_TYPE = 3, KIND_ROBUST = 16, OWNER_DIED = 0x3fffffff, OWNER_LOST = 0x3ffffffe };

static int own_number(void)
{
    return (int)control_self->number + 1;
}

static int mutex_type(const pthread_mutex_t *m)
{
    return m->__data.__kind & KIND_TYPE;
}

static bool mutex_is_robust(const pthread_mutex_t *m)
{
    return (m->__data.__kind & KIND_ROBUST) != 0;
}

/* Whether the task holds what names this owner. The first task of a forked process holds what the
 * one that forked it held, in its own copy of the memory. */
static bool is_owner(int owner, const volatile void *lock, const struct task *t)
{
    if (owner == (int)t->number + 1) {
        return true;
    }
    const bool is_copy = t->forked_from != NOBODY && object_shared(lock) == 0;
    while (is_copy && t->forked_from != NOBODY) {
        t = &tasks[t->forked_from];
        if (owner == (int)t->number + 1) {
            return true;
        }
    }
    return false;
}

static bool mutex_is_free(const pthread_mutex_t *m, const struct task *t)
{
    const int owner = m->__data.__owner;
    if (m->__data.__lock == 0 || owner == OWNER_DIED || owner == OWNER_LOST) {
        return true;
    }
    return is_owner(owner, m, t) && mutex_type(m) != PTHREAD_MUTEX_NORMAL &&
           mutex_type(m) != PTHREAD_MUTEX_ADAPTIVE_NP;
}

/* Semaphores and once flags are a number; barriers begin with how many have come. */
static uint32_t *number_in(const volatile void *object)
{
    return (uint32_t *)(uintptr_t)object;
}

enum { ONCE_BEGUN = 1, ONCE_DONE = 2 };

/* The locks of streams, which are recursive. Put back with the rest of memory when a run ends. */
enum { STREAMS_MAX = 64 };
static struct stream_lock {
    const volatile void *stream; /* NULL: unused */
    int owner;                   /* as in a mutex; 0: nobody */
    uint32_t count;
} stream_locks[STREAMS_MAX];

/* The lock of the stream; NULL: nobody has locked it. */
static struct stream_lock *stream_lock_of(const volatile void *stream)
{
    for (uint32_t i = 0; i < STREAMS_MAX; i++) {
        if (stream_locks[i].stream == stream && stream_locks[i].count > 0) {
            return &stream_locks[i];
        }
    }
    return NULL;
}

static int stream_owner(const volatile void *stream)
{
    const struct stream_lock *l = stream_lock_of(stream);
    return l == NULL ? 0 : l->owner;
}

static bool stream_is_free(const volatile void *stream, const struct task *t)
{
    const int owner = stream_owner(stream);
    return owner == 0 || is_owner(owner, stream, t);
}

/* What a task waits for, as this process sees it. A lock of its own may lie at NULL, by mistake. */
struct seen {
    const volatile void *object, *second;
    bool is_there; /* it sees it */
};

static struct seen seen_of(const struct task *t)
{
    if (t->process == process_self->number) {
        return (struct seen){t->act.object, t->act.second, true};
    }
    struct seen s = {object_shared_at(t->shared_object), object_shared_at(t->shared_second), false};
    s.is_there = s.object != NULL && (t->act.second == NULL || s.second != NULL);
    return s;
}

static bool is_lock(enum wait wait)
{
    switch (wait) {
    case WAIT_MUTEX:
    case WAIT_CONDITION:
    case WAIT_SEMAPHORE:
    case WAIT_SPIN:
    case WAIT_STREAM:
    case WAIT_ONCE:
    case WAIT_READ:
    case WAIT_WRITE: return true;
    case WAIT_NOTHING:
    case WAIT_TASK:
    case WAIT_BARRIER:
    case WAIT_TIME:
    case WAIT_READY:
    case WAIT_SIGNAL:
    case WAIT_CHILD:
    case WAIT_IMAGE:
    case WAIT_FILE_LOCK:
    case WAIT_WAKE: return false;
    }
    return false;
}

bool lock_is_seen(const struct task *t)
{
    return is_lock(t->act.wait) && seen_of(t).is_there;
}

static const pthread_rwlock_t *rwlock_at(const volatile void *object)
{
    return (const pthread_rwlock_t *)(uintptr_t)object;
}

bool lock_is_ready(const struct task *t)
{
    if (!is_lock(t->act.wait)) {
        return true;
    }
    const struct seen s = seen_of(t);
    if (!s.is_there) {
        return t->is_there;
    }
    switch (t->act.wait) {
    case WAIT_MUTEX: return mutex_is_free((const pthread_mutex_t *)(uintptr_t)s.object, t);
    case WAIT_CONDITION:
        return s.second == NULL || mutex_is_free((const pthread_mutex_t *)(uintptr_t)s.second, t);
    case WAIT_SEMAPHORE: return *number_in(s.object) > 0;
    case WAIT_SPIN: return *number_in(s.object) == 0;
    case WAIT_STREAM: return stream_is_free(s.object, t);
    case WAIT_ONCE: return *number_in(s.object) != ONCE_BEGUN;
    case WAIT_READ: return rwlock_at(s.object)->__data.__cur_writer == 0;
    case WAIT_WRITE:
        return rwlock_at(s.object)->__data.__cur_writer == 0 &&
               rwlock_at(s.object)->__data.__readers == 0;
    case WAIT_NOTHING:
    case WAIT_TASK:
    case WAIT_BARRIER:
    case WAIT_TIME:
    case WAIT_READY:
    case WAIT_SIGNAL:
    case WAIT_CHILD:
    case WAIT_IMAGE:
    case WAIT_FILE_LOCK:
    case WAIT_WAKE: break;
    }
    return true;
}

bool lock_has_surplus(const struct task *t)
{
    if (t->act.wait != WAIT_SEMAPHORE) {
        return false;
    }
    const struct seen s = seen_of(t);
    return !s.is_there ? t->has_surplus : *number_in(s.object) > 1;
}

uint32_t lock_holder(const struct task *t)
{
    int owner = 0;
    const struct seen s = is_lock(t->act.wait) ? seen_of(t) : (struct seen){0};
    if ((is_lock(t->act.wait) && !s.is_there) || t->act.wait == WAIT_FILE_LOCK) {
        return t->holder;
    }
    if (t->act.wait == WAIT_MUTEX) {
        owner = ((const pthread_mutex_t *)(uintptr_t)s.object)->__data.__owner;
    } else if (t->act.wait == WAIT_READ || t->act.wait == WAIT_WRITE) {
        owner = rwlock_at(s.object)->__data.__cur_writer;
    } else if (t->act.wait == WAIT_SPIN) {
        owner = (int)*number_in(s.object);
    } else if (t->act.wait == WAIT_STREAM) {
        owner = stream_owner(s.object);
    } else if (t->act.wait == WAIT_TASK) {
        owner = (int)t->act.peer + 1;
    }
    return owner > 0 && owner <= CONTROL_TASKS_MAX ? (uint32_t)owner - 1 : NOBODY;
}

/* Mutexes */

static void robust_add(pthread_mutex_t *m)
{
    struct task *t = control_self;
    for (uint32_t i = 0; i < ROBUST_MAX; i++) {
        if (t->robust[i] == NULL) {
            t->robust[i] = m;
            return;
        }
    }
}

static void robust_remove(const pthread_mutex_t *m)
{
    struct task *t = control_self;
    for (uint32_t i = 0; i < ROBUST_MAX; i++) {
        if (t->robust[i] == m) {
            t->robust[i] = NULL;
        }
    }
}

void lock_end(struct task *t)
{
    for (uint32_t i = 0; i < ROBUST_MAX; i++) {
        if (t->robust[i] != NULL) {
            t->robust[i]->__data.__owner = OWNER_DIED;
        }
    }
}

/* The mutex is free for the caller: what taking it gives. */
int lock_mutex_take(pthread_mutex_t *m)
{
    if (m->__data.__lock != 0 && is_owner(m->__data.__owner, m, control_self)) {
        if (mutex_type(m) == PTHREAD_MUTEX_ERRORCHECK) {
            return EDEADLK;
        }
        m->__data.__count++;
        return 0;
    }
    if (m->__data.__owner == OWNER_LOST) {
        return ENOTRECOVERABLE;
    }
    const bool is_orphan = m->__data.__owner == OWNER_DIED;
    m->__data.__lock = 1;
    m->__data.__owner = own_number();
    m->__data.__count = 1;
    if (mutex_is_robust(m)) {
        robust_add(m);
        m->__data.__nusers = is_orphan ? 1 : 0; /* not consistent yet */
    }
    return is_orphan ? EOWNERDEAD : 0;
}

/* The result of a lock's operation; one that was refused is not in the trace. A robust mutex whose
 * owner died is held. */
static int traced(int result)
{
    if (result != 0 && result != EOWNERDEAD) {
        sched_refused();
    }
    return result;
}

int lock_mutex(pthread_mutex_t *m, uint64_t deadline, const void *place)
{
    const struct act act = {.kind = EVENT_LOCK,
                            .mode = deadline == 0 ? LOCK_MUTEX : LOCK_TRY_MUTEX,
                            .object = m,
                            .writes = true,
                            .touch = TOUCH_NEXT,
                            .wait = WAIT_MUTEX,
                            .deadline = deadline,
                            .place = place};
    return sched_take(&act) ? traced(lock_mutex_take(m)) : ETIMEDOUT;
}

int lock_mutex_after_wait(pthread_mutex_t *m, const pthread_cond_t *c, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_LOCK,
                                   .traced = EVENT_WAIT_END,
                                   .mode = LOCK_MUTEX,
                                   .object = m,
                                   .condition = c,
                                   .writes = true,
                                   .touch = TOUCH_NEXT,
                                   .wait = WAIT_MUTEX,
                                   .place = place});
    return lock_mutex_take(m);
}

int lock_mutex_try(pthread_mutex_t *m, const void *place)
{
    const bool is_idle =
        control_is_on && task_repeats(place, m, (uint64_t)(uint32_t)m->__data.__owner);
    (void)sched_take(&(struct act){.kind = EVENT_LOCK,
                                   .mode = LOCK_TRY_MUTEX,
                                   .object = m,
                                   .writes = true,
                                   .touch = TOUCH_BOTH,
                                   .is_unsure = true,
                                   .is_idle = is_idle,
                                   .place = place});
    const bool is_own = m->__data.__lock != 0 && is_owner(m->__data.__owner, m, control_self);
    if (!mutex_is_free(m, control_self) || (is_own && mutex_type(m) == PTHREAD_MUTEX_ERRORCHECK)) {
        return traced(EBUSY);
    }
    sched_changed();
    return traced(lock_mutex_take(m));
}

/* Gives the mutex back without a turn of its own: a wait for a condition does so too. */
int lock_mutex_give(pthread_mutex_t *m)
{
    const bool is_own = m->__data.__lock != 0 && is_owner(m->__data.__owner, m, control_self);
    const bool is_checked = mutex_type(m) == PTHREAD_MUTEX_ERRORCHECK ||
                            mutex_type(m) == PTHREAD_MUTEX_RECURSIVE || mutex_is_robust(m);
    if (!is_own && is_checked) {
        return EPERM;
    }
    if (mutex_type(m) == PTHREAD_MUTEX_RECURSIVE && m->__data.__count > 1) {
        m->__data.__count--;
        return 0;
    }
    const bool is_lost = mutex_is_robust(m) && m->__data.__nusers != 0;
    robust_remove(m);
    m->__data.__lock = is_lost ? 1 : 0;
    m->__data.__owner = is_lost ? OWNER_LOST : 0;
    m->__data.__count = 0;
    return 0;
}

int lock_mutex_unlock(pthread_mutex_t *m, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_UNLOCK,
                                   .mode = LOCK_MUTEX,
                                   .object = m,
                                   .writes = true,
                                   .touch = TOUCH_FREE,
                                   .place = place});
    return traced(lock_mutex_give(m));
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    return control_is_on ? lock_mutex(m, 0, RT_PLACE) : REAL(pthread_mutex_lock)(m);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    return control_is_on ? lock_mutex_try(m, RT_PLACE) : REAL(pthread_mutex_trylock)(m);
}

int lock_mutex_until(pthread_mutex_t *m, clockid_t clock, const struct timespec *until,
                     const void *place)
{
    if (clock_is_moment(clock, until)) {
        return lock_mutex(m, clock_deadline(clock, until), place);
    }
    const int result = lock_mutex_try(m, place);
    return result == EBUSY ? EINVAL : result; /* only one who waits looks at the time */
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    return control_is_on ? lock_mutex_until(m, CLOCK_REALTIME, until, RT_PLACE)
                         : REAL(pthread_mutex_timedlock)(m, until);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                      const struct timespec *until)
{
    return control_is_on ? lock_mutex_until(m, clock, until, RT_PLACE)
                         : REAL(pthread_mutex_clocklock)(m, clock, until);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    return control_is_on ? lock_mutex_unlock(m, RT_PLACE) : REAL(pthread_mutex_unlock)(m);
}

RT_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
    if (!mutex_is_robust(m) || m->__data.__nusers == 0) {
        return EINVAL;
    }
    m->__data.__nusers = 0;
    return 0;
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    if (control_is_on) {
        lock_life(m, RT_PLACE);
    }
    return control_is_on && m->__data.__lock != 0 && m->__data.__owner != OWNER_LOST ? EBUSY : 0;
}

/* Read-write locks */

enum rw { RW_READ = 1, RW_TRY = 2 };

static uint64_t rwlock_state(const pthread_rwlock_t *l)
{
    return (uint64_t)(uint32_t)l->__data.__cur_writer << 32 | l->__data.__readers;
}

static int rwlock_lock(pthread_rwlock_t *l, int how, uint64_t deadline, const void *place)
{
    const bool is_read = (how & RW_READ) != 0;
    const bool is_try = (how & RW_TRY) != 0;
    if (!is_try && is_owner(l->__data.__cur_writer, l, control_self)) {
        return EDEADLK;
    }
    const uint8_t mode = is_read ? LOCK_RW_READ : LOCK_RW_WRITE;
    const struct act act = {.kind = EVENT_LOCK,
                            .mode = is_try || deadline != 0 ? mode | LOCK_TRY : mode,
                            .object = l,
                            .writes = !is_read,
                            .touch = is_try ? TOUCH_BOTH : TOUCH_NEXT,
                            .is_unsure = is_try,
                            .is_idle = is_try && task_repeats(place, l, rwlock_state(l)),
                            .wait = is_try    ? WAIT_NOTHING
                                    : is_read ? WAIT_READ
                                              : WAIT_WRITE,
                            .deadline = deadline,
                            .place = place};
    if (!sched_take(&act)) {
        return ETIMEDOUT;
    }
    if (l->__data.__cur_writer != 0 || (!is_read && l->__data.__readers != 0)) {
        return traced(EBUSY);
    }
    if (is_read) {
        l->__data.__readers++;
    } else {
        l->__data.__cur_writer = own_number();
    }
    sched_changed();
    return 0;
}

static int rwlock_until(pthread_rwlock_t *l, int how, clockid_t clock, const struct timespec *until,
                        const void *place)
{
    return clock_is_moment(clock, until) ? rwlock_lock(l, how, clock_deadline(clock, until), place)
                                         : EINVAL;
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    return control_is_on ? rwlock_lock(l, RW_READ, 0, RT_PLACE) : REAL(pthread_rwlock_rdlock)(l);
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    return control_is_on ? rwlock_lock(l, RW_READ | RW_TRY, 0, RT_PLACE)
                         : REAL(pthread_rwlock_tryrdlock)(l);
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
    return control_is_on ? rwlock_until(l, RW_READ, CLOCK_REALTIME, until, RT_PLACE)
                         : REAL(pthread_rwlock_timedrdlock)(l, until);
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *until)
{
    return control_is_on ? rwlock_until(l, RW_READ, clock, until, RT_PLACE)
                         : REAL(pthread_rwlock_clockrdlock)(l, clock, until);
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    return control_is_on ? rwlock_lock(l, 0, 0, RT_PLACE) : REAL(pthread_rwlock_wrlock)(l);
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    return control_is_on ? rwlock_lock(l, RW_TRY, 0, RT_PLACE) : REAL(pthread_rwlock_trywrlock)(l);
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
    return control_is_on ? rwlock_until(l, 0, CLOCK_REALTIME, until, RT_PLACE)
                         : REAL(pthread_rwlock_timedwrlock)(l, until);
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *until)
{
    return control_is_on ? rwlock_until(l, 0, clock, until, RT_PLACE)
                         : REAL(pthread_rwlock_clockwrlock)(l, clock, until);
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    if (!control_is_on) {
        return REAL(pthread_rwlock_unlock)(l);
    }
    const bool is_writer = is_owner(l->__data.__cur_writer, l, control_self);
    (void)sched_take(&(struct act){.kind = EVENT_UNLOCK,
                                   .mode = is_writer ? LOCK_RW_WRITE : LOCK_RW_READ,
                                   .object = l,
                                   .writes = is_writer,
                                   .touch = is_writer ? TOUCH_FREE_OF_ALL : TOUCH_FREE,
                                   .place = RT_PLACE});
    sched_changed();
    if (is_writer) {
        l->__data.__cur_writer = 0;
    } else if (l->__data.__readers > 0) {
        l->__data.__readers--;
    }
    return 0;
}

/* Spin locks: the number of who holds it. The real ones have another idea of what is free, so that
 * ours stand in for them in threads that are no tasks, too. */

static int spin_in_thread(pthread_spinlock_t *l, bool is_try)
{
    int free = 0;
    while (!__atomic_compare_exchange_n(l, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        if (is_try) {
            return EBUSY;
        }
        free = 0;
        (void)sys(SYS_sched_yield);
    }
    return 0;
}

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    (void)shared;
    *l = 0;
    if (control_is_on) {
        lock_life(l, RT_PLACE);
    }
    return 0;
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
    if (control_is_on) {
        lock_life(l, RT_PLACE);
    }
    return *l != 0 ? EBUSY : 0;
}

static int spin_lock(pthread_spinlock_t *l, bool is_try, const void *place)
{
    if (!control_is_on) {
        return spin_in_thread(l, is_try);
    }
    (void)sched_take(&(struct act){.kind = EVENT_LOCK,
                                   .mode = is_try ? LOCK_TRY_MUTEX : LOCK_MUTEX,
                                   .object = l,
                                   .writes = true,
                                   .touch = is_try ? TOUCH_BOTH : TOUCH_NEXT,
                                   .is_unsure = is_try,
                                   .is_idle = is_try && task_repeats(place, l, (uint32_t)*l),
                                   .wait = is_try ? WAIT_NOTHING : WAIT_SPIN,
                                   .place = place});
    if (*l != 0) {
        return traced(EBUSY);
    }
    sched_changed();
    *l = own_number();
    return 0;
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    return spin_lock(l, false, RT_PLACE);
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
    return spin_lock(l, true, RT_PLACE);
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    (void)sched_take(&(struct act){.kind = EVENT_UNLOCK,
                                   .mode = LOCK_MUTEX,
                                   .object = l,
                                   .writes = true,
                                   .touch = TOUCH_FREE,
                                   .place = RT_PLACE});
    /* Pairs with the acquire in spin_in_thread. */
    __atomic_store_n(l, 0, __ATOMIC_RELEASE);
    return 0;
}

/* Semaphores */

static int semaphore_wait(sem_t *s, bool is_try, uint64_t deadline, const void *place)
{
    const bool is_there =
        sched_take(&(struct act){.kind = EVENT_SEM_WAIT,
                                 .mode = is_try || deadline != 0 ? MODE_UNSAID : SEMAPHORE_BLOCKING,
                                 .object = s,
                                 .writes = true,
                                 .touch = is_try ? TOUCH_BOTH : TOUCH_NEXT,
                                 .is_unsure = is_try,
                                 .is_idle = is_try && task_repeats(place, s, *number_in(s)),
                                 .wait = is_try ? WAIT_NOTHING : WAIT_SEMAPHORE,
                                 .deadline = deadline,
                                 .interruption = INTERRUPTED_MAYBE,
                                 .is_cancellable = !is_try,
                                 .place = place});
    if (!is_try) {
        task_test_cancel();
    }
    if (!is_there && sched_is_interrupted()) {
        errno = EINTR;
        return -1;
    }
    if (!is_there || *number_in(s) == 0) {
        (void)traced(is_there ? EAGAIN : 0);
        errno = is_there ? EAGAIN : ETIMEDOUT;
        return -1;
    }
    sched_changed();
    --*number_in(s);
    return 0;
}

static int semaphore_until(sem_t *s, clockid_t clock, const struct timespec *until,
                           const void *place)
{
    if (!clock_is_moment(clock, until)) {
        errno = EINVAL;
        return -1;
    }
    return semaphore_wait(s, false, clock_deadline(clock, until), place);
}

RT_EXPORT int sem_wait(sem_t *s)
{
    return control_is_on ? semaphore_wait(s, false, 0, RT_PLACE) : REAL(sem_wait)(s);
}

RT_EXPORT int sem_trywait(sem_t *s)
{
    return control_is_on ? semaphore_wait(s, true, 0, RT_PLACE) : REAL(sem_trywait)(s);
}

RT_EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
    return control_is_on ? semaphore_until(s, CLOCK_REALTIME, until, RT_PLACE)
                         : REAL(sem_timedwait)(s, until);
}

RT_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    return control_is_on ? semaphore_until(s, clock, until, RT_PLACE)
                         : REAL(sem_clockwait)(s, clock, until);
}

RT_EXPORT int sem_getvalue(sem_t *s, int *to)
{
    if (control_is_on) {
        (void)sched_take(&(struct act){.kind = EVENT_ATOMIC_LOAD,
                                       .object = s,
                                       .touch = TOUCH_BOTH,
                                       .is_untraced = true,
                                       .place = RT_PLACE});
    }
    const int value = (int)*number_in(s);
    uint32_t distance = 0;
    if (control_is_on && task_of_stack((uintptr_t)to, &distance) != control_self) {
        memory_write(to, sizeof *to, RT_PLACE);
    }
    *to = value;
    return 0;
}

RT_EXPORT int sem_post(sem_t *s)
{
    if (!control_is_on) {
        return REAL(sem_post)(s);
    }
    (void)sched_take(&(struct act){.kind = EVENT_SEM_POST,
                                   .object = s,
                                   .writes = true,
                                   .touch = TOUCH_BOTH,
                                   .place = RT_PLACE});
    if (*number_in(s) == SEM_VALUE_MAX) {
        sched_refused();
        errno = EOVERFLOW;
        return -1;
    }
    ++*number_in(s);
    return 0;
}

/* Barriers: how many have come, and how many must. */
enum { BARRIER_COME = 0, BARRIER_COUNT = 2 };

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attributes,
                                   unsigned count)
{
    (void)attributes;
    if (count == 0) {
        return EINVAL;
    }
    memset(b, 0, sizeof *b);
    number_in(b)[BARRIER_COUNT] = count;
    if (control_is_on) {
        lock_life(b, RT_PLACE);
    }
    return 0;
}

RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    if (control_is_on) {
        lock_life(b, RT_PLACE);
    }
    return number_in(b)[BARRIER_COME] != 0 ? EBUSY : 0;
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    if (!control_is_on) {
        return REAL(pthread_barrier_wait)(b);
    }
    (void)sched_take(
        &(struct act){.kind = EVENT_BARRIER_ENTER, .object = b, .writes = true, .place = RT_PLACE});
    if (++number_in(b)[BARRIER_COME] >= number_in(b)[BARRIER_COUNT]) {
        number_in(b)[BARRIER_COME] = 0;
        (void)sched_wake(b, UINT32_MAX);
        sched_report(EVENT_BARRIER_EXIT, sched_step());
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    (void)sched_take(&(struct act){
        .kind = EVENT_BARRIER_EXIT, .object = b, .wait = WAIT_BARRIER, .place = RT_PLACE});
    return 0;
}

/* Once */

static void once_again(void *once)
{
    *number_in(once) = 0;
}

int lock_once(pthread_once_t *once, void (*run)(void), const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_ONCE,
                                   .object = once,
                                   .writes = *once != ONCE_DONE,
                                   .touch = TOUCH_NEXT,
                                   .wait = WAIT_ONCE,
                                   .place = place});
    if (*once == ONCE_DONE) {
        return 0;
    }
    const uint64_t step = sched_step();
    sched_refused(); /* the event is the end of the initialization */
    *once = ONCE_BEGUN;
    sched_report(EVENT_ONCE_BEGIN, step);
    pthread_cleanup_push(once_again, once);
    run();
    pthread_cleanup_pop(0);
    if (task_has_others()) { /* what was initialized is before whoever finds it so */
        (void)sched_take(&(struct act){.kind = EVENT_UNLOCK,
                                       .object = once,
                                       .writes = true,
                                       .touch = TOUCH_FREE,
                                       .is_untraced = true,
                                       .place = place});
    }
    *once = ONCE_DONE;
    sched_report(EVENT_ONCE, step);
    return 0;
}

RT_EXPORT int pthread_once(pthread_once_t *once, void (*run)(void))
{
    return control_is_on ? lock_once(once, run, RT_PLACE) : REAL(pthread_once)(once, run);
}

/* Streams. libc locks a stream in each call that uses it. Where the program locks streams itself,
 * these calls wait too; else that is never noticed, for no turn is passed in them. */

static bool locks_streams;

void lock_start(void)
{
    static const char *const names[] = {"flockfile", "ftrylockfile", NULL};
    locks_streams = imports_any(names);
}

static void stream_take(FILE *file)
{
    struct stream_lock *l = stream_lock_of(file);
    for (uint32_t i = 0; l == NULL && i < STREAMS_MAX; i++) {
        l = stream_locks[i].count == 0 ? &stream_locks[i] : NULL;
    }
    if (l == NULL || !locks_streams) {
        control_outside("flockfile"); /* too many, or of a library that was loaded late */
    }
    if (l != NULL) {
        *l = (struct stream_lock){.stream = file, .owner = own_number(), .count = l->count + 1};
    }
}

static void stream_lock(FILE *file, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_LOCK,
                                   .mode = LOCK_MUTEX,
                                   .object = file,
                                   .writes = true,
                                   .touch = TOUCH_NEXT,
                                   .wait = WAIT_STREAM,
                                   .place = place});
    stream_take(file);
}

static void stream_unlock(FILE *file, const void *place)
{
    (void)sched_take(&(struct act){.kind = EVENT_UNLOCK,
                                   .mode = LOCK_MUTEX,
                                   .object = file,
                                   .writes = true,
                                   .touch = TOUCH_FREE,
                                   .place = place});
    struct stream_lock *l = stream_lock_of(file);
    if (l != NULL && l->owner == own_number()) {
        l->count--;
    } else {
        sched_refused(); /* it is not the caller's */
    }
}

void lock_pass_stream(FILE *file, const void *place)
{
    if (locks_streams && stream_owner(file) != own_number()) {
        stream_lock(file, place);
        stream_unlock(file, place); /* others go on when the caller has used the stream */
    }
}

RT_EXPORT void flockfile(FILE *file)
{
    if (control_is_on) {
        stream_lock(file, RT_PLACE);
    }
}

RT_EXPORT int ftrylockfile(FILE *file)
{
    if (!control_is_on) {
        return 0;
    }
    const void *place = RT_PLACE;
    (void)sched_take(
        &(struct act){.kind = EVENT_LOCK,
                      .mode = LOCK_TRY_MUTEX,
                      .object = file,
                      .writes = true,
                      .touch = TOUCH_BOTH,
                      .is_unsure = true,
                      .is_idle = task_repeats(place, file, (uint64_t)stream_owner(file)),
                      .place = place});
    if (!stream_is_free(file, control_self)) {
        return traced(EBUSY);
    }
    sched_changed();
    stream_take(file);
    return 0;
}

RT_EXPORT void funlockfile(FILE *file)
{
    if (control_is_on) {
        stream_unlock(file, RT_PLACE);
    }
}
