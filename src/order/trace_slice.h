/* A slice of a trace: the causal past of an event, some nodes, a span of time, some objects.
 *
 * A filter (struct slice_filter) decides conditions on single events as they stream by; the past of
 * an event needs the whole trace (slice_build). */
#ifndef CLEW_ORDER_TRACE_SLICE_H
#define CLEW_ORDER_TRACE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/name_glob.h"
#include "base/notes.h"
#include "base/vec.h"
#include "order/user_edges.h"
#include "trace/trace.h"

/* The conditions to keep an event; all that are set must hold. {.event = EVENT_NONE} keeps all.
 * Patterns are those of base/name_glob.h. */
struct slice_options {
    event_id event;     /* the event itself, or its observed past; EVENT_NONE: no condition */
    const char *node;   /* of a node that matches; NULL: no condition */
    const char *object; /* on such an object, as its object or (the lock of a wait) its text */
    bool has_since, has_until;
    int64_t since, until; /* times; an event without one has that of its task's previous event */
    const struct given *given; /* orders that belong to the past, NULL: none */
};

/* Decides event by event. */
struct slice_filter {
    const struct slice_options *options;
    const struct tables *tables;
    struct name_glob nodes, objects;
    VEC(int64_t) times; /* by task: its latest */
};

/* The tables may grow; both outlive f. */
void slice_filter_init(struct slice_filter *f, const struct slice_options *o,
                       const struct tables *tables);

/* True when the event is kept but for the past of options->event. Events come in listed order. */
bool slice_keeps(struct slice_filter *f, const struct event *e);

/* Fails when no event had the requested node or object. */
MUST_USE int slice_filter_end(struct slice_filter *f, struct err *e);
void slice_filter_release(struct slice_filter *f);

/* {0} is empty. */
struct slice {
    VEC(event_id) events; /* in listed order */
};

/* Finds the events to keep. Fails when the event, node or object is not in the trace. O(events),
 * and for the past of an event the cost of happens-before. */
MUST_USE int slice_build(struct slice *s, const struct trace *t, const struct slice_options *o,
                         struct notes *n, struct err *e);
void slice_release(struct slice *s);

#endif
