/* Locks of a controlled program, by either of their names. Deadlines are of the virtual clock; 0 is
 * none. */
#ifndef CLEW_RUNTIME_CONTROL_HOOKS_MUTEX_H
#define CLEW_RUNTIME_CONTROL_HOOKS_MUTEX_H

#include <time.h>

#include "runtime/control/sched/run_control.h"

/* As pthread_mutex_lock, _clocklock, _trylock, _unlock; and giving it back as part of something
 * else. */
int lock_mutex(pthread_mutex_t *m, uint64_t deadline, const void *place);
int lock_mutex_until(pthread_mutex_t *m, clockid_t clock, const struct timespec *until,
                     const void *place);
int lock_mutex_try(pthread_mutex_t *m, const void *place);
int lock_mutex_unlock(pthread_mutex_t *m, const void *place);
int lock_mutex_give(pthread_mutex_t *m);
int lock_mutex_take(pthread_mutex_t *m); /* which is free */
/* Takes the mutex after a wait for the condition that no signal ended. */
int lock_mutex_after_wait(pthread_mutex_t *m, const pthread_cond_t *c, const void *place);

/* The object is initialized, or is about to be destroyed. */
void lock_life(const volatile void *object, const void *place);

int lock_once(pthread_once_t *once, void (*run)(void), const void *place);

/* As pthread_cond_wait and pthread_cond_clockwait. */
int condition_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, const void *place);
int condition_until(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                    const struct timespec *until, const void *place);
void condition_signal(const pthread_cond_t *c, bool is_broadcast, const void *place);

/* Whether it is a moment of a clock that can be waited for: what is none is refused. */
bool clock_is_moment(clockid_t clock, const struct timespec *until);

/* A moment of one of the system's clocks, as a deadline. */
uint64_t clock_deadline(clockid_t clock, const struct timespec *until);

#endif
