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
        (void)control_report_channel(EVENT_WRITE, (const void *)(uintptr_t)object, 0, place);
    }
}

static int initialized(int result, const volatile void *object, const void *place)
{
    if (result == 0 && control_is_on) {
        lock_life(object, place);
    }
    return result;
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
    return initialized(REAL(pthread_mutex_init)(m, attributes), m, RT_PLACE);
}

RT_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attributes)
{
    return initialized(REAL(pthread_cond_init)(c, attributes), c, RT_PLACE);
}

RT_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attributes)
{
    return initialized(REAL(pthread_rwlock_init)(l, attributes), l, RT_PLACE);
}

RT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    (void)initialized(0, l, RT_PLACE);
    return REAL(pthread_rwlock_destroy)(l);
}

/* The initial count says which waits needed no post. */
RT_EXPORT int sem_init(sem_t *s, int is_shared, unsigned value)
{
    const int result = initialized(REAL(sem_init)(s, is_shared, value), s, RT_PLACE);
    if (result == 0 && control_is_on) {
        (void)control_report_channel(EVENT_SEM_INIT, s, (int64_t)value, RT_PLACE);
    }
    return result;
}

RT_EXPORT int sem_destroy(sem_t *s)
{
    (void)initialized(0, s, RT_PLACE);
    return REAL(sem_destroy)(s);
}

RT_EXPORT int mtx_init(mtx_t *m, int type)
{
    return initialized(REAL(mtx_init)(m, type), m, RT_PLACE);
}

RT_EXPORT int cnd_init(cnd_t *c)
{
    return initialized(REAL(cnd_init)(c), c, RT_PLACE);
}
