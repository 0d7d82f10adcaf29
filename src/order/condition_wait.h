/* Condition waits, and the notifies that may end them. Any notify may end any wait, except that a
 * signal ends one wait; the pairs that the list shows are kept beside.
 *
 * A SEM_WAIT on a counted semaphore (order/semaphore.h) is a wait without a beginning; a SEM_POST
 * ends one such wait, and so does each unit of the initial count. */
#ifndef CLEW_ORDER_CONDITION_WAIT_H
#define CLEW_ORDER_CONDITION_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/notes.h"
#include "order/semaphore.h"
#include "trace/trace.h"
#include "wire/kind.h"

struct wait {
    uint32_t condition; /* dense number */
    event_id begin;     /* EVENT_NONE when its end is the task's first event */
    event_id end;
    event_id notify; /* the notify that ends it in the list; EVENT_NONE: none, and it needs none */
    bool is_paired;  /* its beginning is a WAIT_BEGIN, not just the task's event before its end */
    bool is_semaphore;
};

/* Whether the wait requires a notify in a prefix. */
static inline bool wait_is_bound(const struct wait *w)
{
    return w->notify != EVENT_NONE || w->is_semaphore;
}

/* Whether the wait requires one where all events are placed. Of a semaphore only edges and sections
 * count: to choose among its posts is a pigeonhole problem. */
static inline bool wait_is_strict(const struct wait *w)
{
    return w->notify != EVENT_NONE && !w->is_semaphore;
}

struct condition {
    uint32_t node;
    uint32_t name;
    uint32_t first; /* its notifies are notifies[first .. first + count), in listed order */
    uint32_t count;
    uint32_t token_count; /* the initial count of a semaphore: this many waits need no notify */
};

struct waits {
    const struct wait *list; /* in listed order of `end` */
    uint32_t count;
    const struct condition *conditions;
    uint32_t condition_count;
    const event_id *notifies; /* SIGNAL and BROADCAST events, SEM_POST of counted semaphores */
};

/* Finds the waits; notes those that nothing in the list ends. O(events + notifies * tasks). */
void waits_build(struct waits *w, const struct trace *t, const struct semaphores *s,
                 struct arena *a, struct notes *n);

/* True for a notify that ends one wait at most. */
static inline bool notify_is_for_one(const struct event *e)
{
    return e->kind == EVENT_SIGNAL || e->kind == EVENT_SEM_POST;
}

/* The number of the wait that ends with this event, UINT32_MAX when none does. O(log count). */
uint32_t waits_at(const struct waits *w, event_id end);

#endif
