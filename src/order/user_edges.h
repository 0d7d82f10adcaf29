/* User-supplied orders that the tracer could not see, in a text file:
 *
 *     # custom latch: a publication precedes its consumption
 *     12 before 40
 *     Publish.java:17 before Consume.java:9
 *     "queue push (fast path)" before "queue pop"
 *
 * A number is the index of an event. Anything else is a source location, quoted where it holds
 * blanks, quotes or only digits: each event at the first place comes before each event at the
 * second place that is listed later. */
#ifndef CLEW_ORDER_USER_EDGES_H
#define CLEW_ORDER_USER_EDGES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "order/order_graph.h"
#include "trace/trace.h"

/* An event by index, or those at a place. */
struct given_side {
    event_id event;   /* EVENT_NONE: a place */
    const char *text; /* the place */
    size_t size;
};

struct given_line {
    struct given_side before, after;
    uint32_t line;
};

/* {0} is empty. */
struct given {
    struct arena arena;
    const char *path; /* of the file, for messages; NULL: it was in memory */
    VEC(struct given_line) lines;
};

/* Reads the file at path ("-": standard input). Fails on a malformed line, with line and column. */
MUST_USE int given_read(struct given *g, const char *path, struct err *e);

/* The same over bytes in memory. */
MUST_USE int given_parse(struct given *g, const char *bytes, size_t size, struct err *e);

void given_release(struct given *g);

/* Adds the edges of the lines in t. Fails when an index is beyond the trace; notes places without
 * events, and lines that order no two events, with file and line. */
MUST_USE int given_add(const struct given *g, const struct trace *t, struct edges *edges,
                       struct notes *n, struct err *e);

#endif
