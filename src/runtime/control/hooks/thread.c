/* Threads by their POSIX and C11 names. */
#include <errno.h>
#include <threads.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/hooks/mutex.h"
#include "runtime/control/sched/task.h"
#include "runtime/shared/real.h"

RT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*run)(void *), void *argument)
{
    if (!control_is_on) {
        control_begin_early();
    }
    if (!control_is_on) {
        return libc.pthread_create(thread, attributes, run, argument);
    }
    return task_create(thread, attributes,
                       &(struct creation){.run = run, .argument = argument, .place = RT_PLACE});
}

static int join(pthread_t thread, const struct join *j)
{
    struct task *t = task_of(thread);
    return t == NULL ? ESRCH : task_join(t, j);
}

RT_EXPORT int pthread_join(pthread_t thread, void **result)
{
    return control_is_on ? join(thread, &(struct join){.result = result, .place = RT_PLACE})
                         : REAL(pthread_join)(thread, result);
}

RT_EXPORT int pthread_tryjoin_np(pthread_t thread, void **result)
{
    if (!control_is_on) {
        return REAL(pthread_tryjoin_np)(thread, result);
    }
    return join(thread, &(struct join){.result = result, .is_try = true, .place = RT_PLACE});
}

RT_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    if (!control_is_on) {
        return REAL(pthread_timedjoin_np)(thread, result, until);
    }
    return join(thread, &(struct join){.result = result,
                                       .deadline = clock_deadline(CLOCK_REALTIME, until),
                                       .place = RT_PLACE});
}

RT_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                   const struct timespec *until)
{
    if (!control_is_on) {
        return REAL(pthread_clockjoin_np)(thread, result, clock, until);
    }
    return join(thread, &(struct join){.result = result,
                                       .deadline = clock_deadline(clock, until),
                                       .place = RT_PLACE});
}

RT_EXPORT int pthread_detach(pthread_t thread)
{
    if (!control_is_on) {
        return libc.pthread_detach(thread);
    }
    struct task *t = task_of(thread);
    if (t == NULL) {
        return ESRCH;
    }
    if (t->is_detached) {
        return EINVAL;
    }
    t->is_detached = true;
    return 0;
}

/* libc knows nothing of the stacks of fibers. */
RT_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    const struct task *t = control_is_on ? task_of(thread) : NULL;
    void *base = NULL;
    size_t size = 0;
    if (t == NULL || !fiber_stack(&t->fiber, &base, &size)) {
        return libc.pthread_getattr_np(thread, attributes);
    }
    const int failed = pthread_attr_init(attributes);
    if (failed != 0) {
        return failed;
    }
    (void)pthread_attr_setdetachstate(attributes, t->is_detached ? PTHREAD_CREATE_DETACHED
                                                                 : PTHREAD_CREATE_JOINABLE);
    return pthread_attr_setstack(attributes, base, size);
}

RT_EXPORT _Noreturn void pthread_exit(void *result)
{
    if (control_is_on) {
        task_exit(result);
    }
    libc.pthread_exit(result);
    __builtin_unreachable();
}

/* Cancelling: noted, and heeded where the task waits next or now. */

RT_EXPORT int pthread_cancel(pthread_t thread)
{
    if (!control_is_on) {
        return libc.pthread_cancel(thread);
    }
    /* Each step of the task may be its cancellation point; one that was joined could have been
     * cancelled before. */
    struct task *t = task_of(thread);
    (void)sched_take(&(struct act){.kind = EVENT_INTERRUPT,
                                   .traced = EVENT_CALL,
                                   .is_of_task = t != NULL,
                                   .peer = t == NULL ? NOBODY : t->number,
                                   .is_of_all = true,
                                   .is_untraced = t == NULL,
                                   .place = RT_PLACE});
    t = task_of(thread);
    if (t == NULL) {
        return ESRCH;
    }
    t->is_cancelled = true;
    if (t == control_self && t->is_cancel_prompt) {
        task_test_cancel();
    }
    return 0;
}

RT_EXPORT void pthread_testcancel(void)
{
    if (control_is_on) {
        if (control_is_mine() && task_has_others()) {
            (void)sched_take(&(struct act){.kind = EVENT_READ,
                                           .is_of_task = true,
                                           .peer = control_self->number,
                                           .is_untraced = true,
                                           .is_cancellable = true,
                                           .place = RT_PLACE});
        }
        task_test_cancel();
    } else {
        libc.pthread_testcancel();
    }
}

RT_EXPORT int pthread_setcancelstate(int state, int *before)
{
    if (!control_is_on) {
        return libc.pthread_setcancelstate(state, before);
    }
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) {
        return EINVAL;
    }
    struct task *t = control_self;
    if (before != NULL) {
        *before = t->is_cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    }
    t->is_cancel_off = state == PTHREAD_CANCEL_DISABLE;
    return 0;
}

RT_EXPORT int pthread_setcanceltype(int type, int *before)
{
    if (!control_is_on) {
        return libc.pthread_setcanceltype(type, before);
    }
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) {
        return EINVAL;
    }
    struct task *t = control_self;
    if (before != NULL) {
        *before = t->is_cancel_prompt ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    }
    t->is_cancel_prompt = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    if (t->is_cancel_prompt) {
        task_test_cancel();
    }
    return 0;
}

/* A C11 thread is a POSIX thread that gives back a number. */

RT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    if (!control_is_on) {
        control_begin_early();
    }
    if (!control_is_on) {
        return REAL(thrd_create)(thread, run, argument);
    }
    const int result = task_create(
        thread, NULL, &(struct creation){.run_c11 = run, .argument = argument, .place = RT_PLACE});
    return result == 0 ? thrd_success : thrd_nomem;
}

RT_EXPORT int thrd_join(thrd_t thread, int *value)
{
    void *result = NULL;
    const int failed = control_is_on
                           ? join(thread, &(struct join){.result = &result, .place = RT_PLACE})
                           : REAL(pthread_join)(thread, &result);
    if (failed != 0) {
        return thrd_error;
    }
    if (value != NULL) {
        *value = (int)(intptr_t)result;
    }
    return thrd_success;
}

RT_EXPORT int thrd_detach(thrd_t thread)
{
    return pthread_detach(thread) == 0 ? thrd_success : thrd_error;
}

RT_EXPORT _Noreturn void thrd_exit(int result)
{
    pthread_exit((void *)(intptr_t)result);
}

static pthread_mutex_t *mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)(void *)m;
}

static pthread_cond_t *condition_of(cnd_t *c)
{
    return (pthread_cond_t *)(void *)c;
}

static int answer(int result)
{
    return result == 0           ? thrd_success
           : result == ETIMEDOUT ? thrd_timedout
           : result == EBUSY     ? thrd_busy
                                 : thrd_error;
}

RT_EXPORT int mtx_lock(mtx_t *m)
{
    return control_is_on ? answer(lock_mutex(mutex_of(m), 0, RT_PLACE)) : REAL(mtx_lock)(m);
}

RT_EXPORT int mtx_trylock(mtx_t *m)
{
    return control_is_on ? answer(lock_mutex_try(mutex_of(m), RT_PLACE)) : REAL(mtx_trylock)(m);
}

RT_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
    return control_is_on ? answer(lock_mutex_until(mutex_of(m), CLOCK_REALTIME, until, RT_PLACE))
                         : REAL(mtx_timedlock)(m, until);
}

RT_EXPORT int mtx_unlock(mtx_t *m)
{
    return control_is_on ? answer(lock_mutex_unlock(mutex_of(m), RT_PLACE)) : REAL(mtx_unlock)(m);
}

RT_EXPORT void mtx_destroy(mtx_t *m)
{
    if (control_is_on) {
        lock_life(m, RT_PLACE);
    }
}

RT_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    return control_is_on ? answer(condition_wait(condition_of(c), mutex_of(m), 0, RT_PLACE))
                         : REAL(cnd_wait)(c, m);
}

RT_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
    return control_is_on ? answer(condition_until(condition_of(c), mutex_of(m), CLOCK_REALTIME,
                                                  until, RT_PLACE))
                         : REAL(cnd_timedwait)(c, m, until);
}

RT_EXPORT int cnd_signal(cnd_t *c)
{
    if (!control_is_on) {
        return REAL(cnd_signal)(c);
    }
    condition_signal(condition_of(c), false, RT_PLACE);
    return thrd_success;
}

RT_EXPORT int cnd_broadcast(cnd_t *c)
{
    if (!control_is_on) {
        return REAL(cnd_broadcast)(c);
    }
    condition_signal(condition_of(c), true, RT_PLACE);
    return thrd_success;
}

RT_EXPORT void cnd_destroy(cnd_t *c)
{
    if (control_is_on) {
        lock_life(c, RT_PLACE);
    }
}

RT_EXPORT void call_once(once_flag *once, void (*run)(void))
{
    if (control_is_on) {
        (void)lock_once((pthread_once_t *)(void *)once, run, RT_PLACE);
    } else {
        (void)REAL(pthread_once)((pthread_once_t *)(void *)once, run);
    }
}
