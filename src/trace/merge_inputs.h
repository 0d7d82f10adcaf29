/* A merge of several inputs of one execution into one stream: a log per node, each in its own
 * order.
 *
 *     first input   e0 e1       e2 e3 ...       They share tables, so equal names mean the same
 *     second input        f0 f1                 thing.
 *     read as       e0 e1 f0 f1 e2 e3 ...
 *
 * The merge reads an input until it receives a message that has not been sent yet; then it reads
 * the others. So the list has sends before their receives and is an order the execution allows. A
 * missing send blocks its receiver only until no other input can be read. Otherwise the list has no
 * order across inputs: the order of the merged trace is at most that of nodes. An input is opened
 * when it is first needed. */
#ifndef CLEW_TRACE_MERGE_INPUTS_H
#define CLEW_TRACE_MERGE_INPUTS_H

#include "trace/format.h"

struct join_inputs {
    format_list formats;
    const struct format *wanted; /* NULL: each is recognized by its content */
    const char *const *paths;    /* must outlive the cursor */
    size_t count;                /* at least 1 */
};

/* A cursor over all of them, or NULL with an error that names the first path. Its path, its batches
 * and their offsets are those of the current input. Besides the errors of readers, it fails on an
 * input whose times are in another unit. */
MUST_USE struct cursor *join_open(const struct join_inputs *inputs, struct tables *t,
                                  struct notes *n, struct err *e);

struct join_place {
    size_t input;
    uint64_t index; /* of the event there */
};

/* The origin of the position-th event of the cursor, which must come from join_open. O(log of the
 * number of input changes). */
struct join_place join_place(const struct cursor *c, uint64_t position);

#endif
