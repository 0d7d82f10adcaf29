/* Locks, conditions, barriers and semaphores that are initialized and destroyed. Both are writes to
 * the object: a use by another thread must be ordered with them (proc/record/sync_objects.h). Only
 * processes with instrumented code record them; the initialization of a semaphore is a record
 * anyway. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/real.h"

/* Recorded before a destruction and after an initialization, like an unlock and a lock. */
static void life(const volatile void *object, const void *place)
{
    if (access_is_told()) {
        const int saved = errno;
        (void)rt_record((struct rt_event){
            .kind = (enum event_kind)RECORD_LIFE, .object = object, .place = place});
        errno = saved;
    }
}

static int initialized(int result, const volatile void *object, const void *place)
{
    if (result == 0) {
        life(object, place);
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

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    return initialized(REAL(pthread_spin_init)(l, shared), l, RT_PLACE);
}

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attributes,
                                   unsigned count)
{
    return initialized(REAL(pthread_barrier_init)(b, attributes, count), b, RT_PLACE);
}

RT_EXPORT int mtx_init(mtx_t *m, int type)
{
    return initialized(REAL(mtx_init)(m, type), m, RT_PLACE);
}

RT_EXPORT int cnd_init(cnd_t *c)
{
    return initialized(REAL(cnd_init)(c), c, RT_PLACE);
}

#define DESTROY(name, type)          \
    RT_EXPORT int name(type *object) \
    {                                \
        life(object, RT_PLACE);      \
        return REAL(name)(object);   \
    }

DESTROY(pthread_mutex_destroy, pthread_mutex_t)
DESTROY(pthread_cond_destroy, pthread_cond_t)
DESTROY(pthread_rwlock_destroy, pthread_rwlock_t)
DESTROY(pthread_spin_destroy, pthread_spinlock_t)
DESTROY(pthread_barrier_destroy, pthread_barrier_t)
DESTROY(sem_destroy, sem_t)

RT_EXPORT void mtx_destroy(mtx_t *m)
{
    life(m, RT_PLACE);
    REAL(mtx_destroy)(m);
}

RT_EXPORT void cnd_destroy(cnd_t *c)
{
    life(c, RT_PLACE);
    REAL(cnd_destroy)(c);
}
