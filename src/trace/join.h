/* Several inputs of one execution read as one: a log per node, each in its own order.
 *
 *     first input ...e0 e1 e2 | second input e3 e4 | e5 e6 ...
 *
 * They come one behind the other and share tables, so equal names mean the same thing. Events of
 * one input keep their order; across inputs the list says nothing, so the order is at most that of
 * nodes. An input is opened when its turn comes: one file at a time. */
#ifndef CLEW_TRACE_JOIN_H
#define CLEW_TRACE_JOIN_H

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

/* How many events came before each input that has been opened: starts[0] is 0. Valid until the
 * cursor, which must come from join_open, moves on or is closed. */
const uint64_t *join_starts(const struct cursor *c, size_t *count);

#endif
