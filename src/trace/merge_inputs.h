/* Several inputs of one execution read as one: a log per node, each in its own order.
 *
 *     first input   e0 e1       e2 e3 ...       They share tables, so equal names mean the same
 *     second input        f0 f1                 thing.
 *     read as       e0 e1 f0 f1 e2 e3 ...
 *
 * An input is read until it receives what has not been sent yet; then the others are, so that the
 * list has sends before their receives and is an order the execution allows. A send that never
 * comes holds its receiver up only until nothing else can be read. Otherwise, across inputs, the
 * list says nothing: the order of what is joined is at most that of nodes. An input is opened when
 * it is first needed. */
#ifndef CLEW_TRACE_MERGE_INPUTS_H
#define CLEW_TRACE_MERGE_INPUTS_H

#include "trace/format.h"

struct join_inputs {
    format_list formats;
    const struct format *wanted; /* NULL: each is recognized by its content */
    const char *const *paths;    /* must outlive the cursor */
    size_t count;                /* at least 1 */
};

/* A cursor over all of them, or NULL with an error that names the first path. While it reads, its
 * path, its batches and their offsets are those of the input being read. Fails, besides as readers
 * do, on an input whose times are in another unit. */
MUST_USE struct cursor *join_open(const struct join_inputs *inputs, struct tables *t,
                                  struct notes *n, struct err *e);

struct join_place {
    size_t input;
    uint64_t index; /* of the event there */
};

/* Where the position-th event that the cursor, which must come from join_open, has given came from.
 * O(log of the times the input changed). */
struct join_place join_place(const struct cursor *c, uint64_t position);

#endif
