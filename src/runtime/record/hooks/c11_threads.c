/* C11 threads. In glibc they are POSIX threads under other names: a mtx_t is a pthread_mutex_t, a
 * cnd_t a pthread_cond_t, a thrd_t a pthread_t. */
#include <threads.h>

#include "runtime/record/hooks/sync_shared.h"
#include "runtime/record/log/recorder.h"
#include "runtime/shared/real.h"

static const pthread_mutex_t *mutex_of(const mtx_t *m)
{
    return (const pthread_mutex_t *)(const void *)m;
}

static const pthread_cond_t *condition_of(const cnd_t *c)
{
    return (const pthread_cond_t *)(const void *)c;
}

RT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    if (!rt_is_on) {
        return REAL(thrd_create)(thread, run, argument);
    }
    const int result = thread_create(
        thread, NULL,
        &(struct thread_creation){.run_c11 = run, .argument = argument, .place = RT_PLACE});
    return result == 0 ? thrd_success : thrd_nomem;
}

RT_EXPORT int thrd_join(thrd_t thread, int *value)
{
    const int64_t number = thread_number(thread);
    const int result = REAL(thrd_join)(thread, value);
    if (result == thrd_success) {
        thread_record_join(number, RT_PLACE);
    }
    return result;
}

/* `how` is LOCK_TRY where the call gives up instead of blocking for ever, else 0. */
static int acquired(int result, uint8_t how, const mtx_t *m, const void *place)
{
    if (result == thrd_success) {
        sync_record(EVENT_LOCK, sync_mutex_mode(mutex_of(m)) | how, m, place);
    }
    return result;
}

RT_EXPORT int mtx_lock(mtx_t *m)
{
    return acquired(REAL(mtx_lock)(m), 0, m, RT_PLACE);
}

RT_EXPORT int mtx_trylock(mtx_t *m)
{
    return acquired(REAL(mtx_trylock)(m), LOCK_TRY, m, RT_PLACE);
}

RT_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
    return acquired(REAL(mtx_timedlock)(m, until), LOCK_TRY, m, RT_PLACE);
}

RT_EXPORT int mtx_unlock(mtx_t *m)
{
    const struct rt_mark mark =
        sync_announce(EVENT_UNLOCK, sync_mutex_mode(mutex_of(m)), m, RT_PLACE);
    return rt_amend_done(mark, REAL(mtx_unlock)(m)); /* thrd_success is 0 */
}

RT_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    sync_record_wait(EVENT_WAIT_BEGIN, condition_of(c), mutex_of(m), RT_PLACE);
    const int result = REAL(cnd_wait)(c, m);
    sync_record_wait(EVENT_WAIT_END, condition_of(c), mutex_of(m), RT_PLACE);
    return result;
}

RT_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
    sync_record_wait(EVENT_WAIT_BEGIN, condition_of(c), mutex_of(m), RT_PLACE);
    const int result = REAL(cnd_timedwait)(c, m, until);
    sync_record_wait(EVENT_WAIT_END, condition_of(c), mutex_of(m), RT_PLACE);
    return result;
}

RT_EXPORT int cnd_signal(cnd_t *c)
{
    sync_record(EVENT_SIGNAL, MODE_UNSAID, c, RT_PLACE);
    return REAL(cnd_signal)(c);
}

RT_EXPORT int cnd_broadcast(cnd_t *c)
{
    sync_record(EVENT_BROADCAST, MODE_UNSAID, c, RT_PLACE);
    return REAL(cnd_broadcast)(c);
}

/* A once_flag is a pthread_once_t. */
RT_EXPORT void call_once(once_flag *once, void (*run)(void))
{
    (void)sync_once(REAL(pthread_once), (pthread_once_t *)(void *)once, run, RT_PLACE);
}
