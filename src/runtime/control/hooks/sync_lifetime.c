/* Locks, conditions, barriers and semaphores that are initialized and destroyed while there are
 * other tasks: writes to the object, which nobody may use meanwhile. The functions that control
 * models in full (destruction of a mutex, spin locks, barriers) call lock_life themselves. */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "runtime/control/hooks/mutex.h"
#include "runtime/shared/real.h"

void lock_life(const volatile void *object, const void *place)
{
    if (control_is_mine() && task_has_others()) {
        (void)sched_take(&(struct act){.kind = EVENT_WRITE,
                                       .object = object,
                                       .writes = true,
                                       .touch = TOUCH_BOTH,
                                       .is_untraced = true,
                                       .place = place});
        (void)control_report_channel(EVENT_WRITE, (const void *)(uintptr_t)object, 0, place);
    }
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
    lock_life(m, RT_PLACE);
    return REAL(pthread_mutex_init)(m, attributes);
}

RT_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attributes)
{
    lock_life(c, RT_PLACE);
    return REAL(pthread_cond_init)(c, attributes);
}

RT_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attributes)
{
    lock_life(l, RT_PLACE);
    return REAL(pthread_rwlock_init)(l, attributes);
}

RT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    lock_life(l, RT_PLACE);
    return REAL(pthread_rwlock_destroy)(l);
}

/* The initial count says which waits needed no post. */
RT_EXPORT int sem_init(sem_t *s, int is_shared, unsigned value)
{
    lock_life(s, RT_PLACE);
    const int result = REAL(sem_init)(s, is_shared, value);
    if (result == 0 && control_is_on) {
        (void)control_report_channel(EVENT_SEM_INIT, s, (int64_t)value, RT_PLACE);
    }
    return result;
}

RT_EXPORT int sem_destroy(sem_t *s)
{
    lock_life(s, RT_PLACE);
    return REAL(sem_destroy)(s);
}

RT_EXPORT int mtx_init(mtx_t *m, int type)
{
    lock_life(m, RT_PLACE);
    return REAL(mtx_init)(m, type);
}

RT_EXPORT int cnd_init(cnd_t *c)
{
    lock_life(c, RT_PLACE);
    return REAL(cnd_init)(c);
}
