/* Critical sections: from the acquisition of a lock to its release, per task.
 *
 *     acq m   acq m   rel m   wait c (lock m) ..... woken c   rel m
 *     [------- reentrant, ---------]          [----------------]        two sections of m
 *
 * Locks belong to their node, those of several processes (fcntl, flock, process-shared) to the
 * whole trace. A semaphore that is used as a lock (order/semaphore.h) is one. So is an object of
 * one-time initialization whose routine is movable (order/once.h): the routine is a section, and
 * each later ONCE of the object a shared one. Sections of one lock by different tasks, not both
 * shared, never overlap. */
#ifndef CLEW_ORDER_SECTION_H
#define CLEW_ORDER_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/notes.h"
#include "order/condition_wait.h"
#include "order/context.h"
#include "order/once.h"
#include "order/semaphore.h"
#include "trace/trace.h"

struct section {
    uint32_t lock; /* dense number of the lock */
    uint32_t task;
    event_id begin;
    event_id end;     /* of the same task; may be `begin` itself */
    bool is_shared;   /* all its acquisitions are shared */
    bool is_released; /* false: the trace ends, or another task takes the lock, before it is */
};

struct lock {
    uint32_t node; /* 0 for locks of several processes */
    uint32_t name;
    uint32_t first; /* its sections are by_lock[first .. first + count), in listed order */
    uint32_t count;
    bool is_contended; /* two tasks have sections of it that exclude each other */
};

struct sections {
    const struct section *list; /* in listed order of `begin` */
    uint32_t count;
    const struct lock *locks;
    uint32_t lock_count;
    const uint32_t *by_lock; /* numbers of sections */
};

/* Other inputs of the sections. */
struct sections_options {
    const struct waits *waits;
    const struct semaphores *semaphores; /* those used as locks are locks */
    const struct onces *onces;           /* those with a movable routine are locks */
};

/* Finds the sections of t. Notes releases of locks that are not held and locks never released.
 * Linear, but for locks never released: events * tasks at worst. */
void sections_build(struct sections *s, const struct trace *t, const struct contexts *c,
                    const struct sections_options *o, struct arena *a, struct notes *n);

/* The number of the section that begins with this event, UINT32_MAX when none does. O(log count).
 */
uint32_t sections_at(const struct sections *s, event_id begin);

/* True when the two may not overlap. */
static inline bool sections_exclude(const struct section *a, const struct section *b)
{
    return a->lock == b->lock && a->task != b->task && !(a->is_shared && b->is_shared);
}

#endif
