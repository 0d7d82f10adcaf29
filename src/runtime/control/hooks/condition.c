/* Condition variables. Who waits is known by the tasks themselves; the object stays as it is. */
#include <errno.h>

#include "runtime/control/hooks/mutex.h"
#include "runtime/shared/real.h"

/* Where waits may end without a signal, the thread wakes up in one step and takes the lock in the
 * next. A spurious wake-up can then come before a signal that is sent under the lock. */
static int wake_and_lock(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline,
                         const void *place)
{
    const bool is_woken = sched_take(&(struct act){.kind = EVENT_WAIT_END,
                                                   .object = c,
                                                   .writes = true,
                                                   .wait = WAIT_CONDITION,
                                                   .deadline = deadline,
                                                   .interruption = INTERRUPTED_ALWAYS,
                                                   .is_untraced = true,
                                                   .is_cancellable = true,
                                                   .place = place});
    const bool is_late = !is_woken && !sched_is_interrupted();
    const int taken = lock_mutex_after_wait(m, c, place);
    task_test_cancel();
    return taken != 0 || !is_late ? taken : ETIMEDOUT;
}

/* A wait is two steps: giving the lock back, and going on with it. One who gives up takes the lock
 * like anybody. One whose handler ran goes on without a signal, as it may. */
int condition_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, const void *place)
{
    task_test_cancel();
    (void)sched_take(&(struct act){.kind = EVENT_WAIT_BEGIN,
                                   .object = c,
                                   .second = m,
                                   .writes = true,
                                   .touch_second = TOUCH_FREE,
                                   .place = place});
    const int given = lock_mutex_give(m);
    if (given != 0) {
        sched_refused();
        return given;
    }
    if (control->spurious_max > 0) {
        return wake_and_lock(c, m, deadline, place);
    }
    control->result.has_waited = 1;
    const bool is_signalled = sched_take(&(struct act){.kind = EVENT_WAIT_END,
                                                       .object = c,
                                                       .second = m,
                                                       .writes = true,
                                                       .touch_second = TOUCH_NEXT,
                                                       .wait = WAIT_CONDITION,
                                                       .deadline = deadline,
                                                       .interruption = INTERRUPTED_ALWAYS,
                                                       .is_cancellable = true,
                                                       .place = place});
    const bool is_woken_for_nothing = !is_signalled && sched_is_interrupted();
    const int taken = is_signalled ? lock_mutex_take(m) : lock_mutex_after_wait(m, c, place);
    task_test_cancel();
    return is_signalled || is_woken_for_nothing || taken != 0 ? taken : ETIMEDOUT;
}

int condition_until(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                    const struct timespec *until, const void *place)
{
    return clock_is_moment(clock, until) ? condition_wait(c, m, clock_deadline(clock, until), place)
                                         : EINVAL;
}

void condition_signal(const pthread_cond_t *c, bool is_broadcast, const void *place)
{
    (void)sched_take(&(struct act){.kind = is_broadcast ? EVENT_BROADCAST : EVENT_SIGNAL,
                                   .object = c,
                                   .writes = true,
                                   .place = place});
    if (is_broadcast) {
        sched_broadcast(c);
    } else {
        sched_signal(c);
    }
}

/* The clock of the attributes is kept where the real one keeps it, by the real init. */
static clockid_t clock_of(const pthread_cond_t *c)
{
    enum { CLOCK_BIT = 2 };
    return (c->__data.__wrefs & CLOCK_BIT) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return control_is_on ? condition_wait(c, m, 0, RT_PLACE) : REAL(pthread_cond_wait)(c, m);
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                     const struct timespec *until)
{
    return control_is_on ? condition_until(c, m, clock_of(c), until, RT_PLACE)
                         : REAL(pthread_cond_timedwait)(c, m, until);
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                     const struct timespec *until)
{
    return control_is_on ? condition_until(c, m, clock, until, RT_PLACE)
                         : REAL(pthread_cond_clockwait)(c, m, clock, until);
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    if (!control_is_on) {
        return REAL(pthread_cond_signal)(c);
    }
    condition_signal(c, false, RT_PLACE);
    return 0;
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    if (!control_is_on) {
        return REAL(pthread_cond_broadcast)(c);
    }
    condition_signal(c, true, RT_PLACE);
    return 0;
}

/* The real one would wait for those who still wait, whom it does not know. */
RT_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    if (control_is_on) {
        lock_life(c, RT_PLACE);
    }
    return 0;
}
