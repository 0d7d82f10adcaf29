/* A part of a trace: the causal past of an event, one node, a span of time, one object. */
#ifndef CLEW_ORDER_SLICE_H
#define CLEW_ORDER_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/notes.h"
#include "base/vec.h"
#include "order/given.h"
#include "trace/trace.h"

/* What an event must be to be kept; all that is set must hold. {.event = EVENT_NONE} keeps all. */
struct slice_options {
    event_id event;     /* it, or in its past as things went; EVENT_NONE: not asked */
    const char *node;   /* of this node; NULL: not asked */
    const char *object; /* about this object, as its object or (the lock of a wait) its text */
    bool has_since, has_until;
    int64_t since, until;      /* times; an event without one has that of its task's event before */
    const struct given *given; /* orders that belong to the past, NULL: none */
};

/* {0} is empty. */
struct slice {
    VEC(event_id) events; /* in listed order */
};

/* Finds the events to keep. Fails when the event, node or object is not in the trace. O(events),
 * and for the past of an event what happens-before costs. */
MUST_USE int slice_build(struct slice *s, const struct trace *t, const struct slice_options *o,
                         struct notes *n, struct err *e);
void slice_release(struct slice *s);

#endif
