/* Waits for conditions, and the notifies that may end them. Which notify ends which wait is free,
 * except that a signal ends one wait; what the list itself shows is kept beside. */
#ifndef CLEW_ORDER_WAIT_H
#define CLEW_ORDER_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/notes.h"
#include "trace/trace.h"

struct wait {
    uint32_t condition; /* dense number */
    event_id begin;     /* EVENT_NONE when its end is the task's first event */
    event_id end;
    event_id notify; /* what ends it in the list; EVENT_NONE: nothing did, and it needs nothing */
    bool is_paired;  /* its beginning is a WAIT_BEGIN, not just the task's event before its end */
};

struct condition {
    uint32_t node;
    uint32_t name;
    uint32_t first; /* its notifies are notifies[first .. first + count), in listed order */
    uint32_t count;
};

struct waits {
    const struct wait *list; /* in listed order of `end` */
    uint32_t count;
    const struct condition *conditions;
    uint32_t condition_count;
    const event_id *notifies; /* SIGNAL and BROADCAST events */
};

/* Notes waits that nothing in the list ends. O(events + notifies * tasks). */
void waits_build(struct waits *w, const struct trace *t, struct arena *a, struct notes *n);

/* The number of the wait that ends with this event, UINT32_MAX when none does. O(log count). */
uint32_t waits_at(const struct waits *w, event_id end);

#endif
