/* RAPID's standard form: a line per event, `thread|operation(operand)|location`.
 *
 *     T0|r(V1)|345      r w       read, write: the operand is the object
 *     T0|acq(L2)|12     acq rel   lock, unlock
 *     T0|fork(T1)|3     fork join thread-create, thread-join: the operand is the peer
 *     T0|begin|7        begin end atomic-begin, atomic-end: a transaction
 *
 * Only begin and end may lack their operand. The location is any text; 0 stands for none.
 * Operations of other analyses (branch, req, enter, exit, dummy) are skipped and counted. The list
 * is the execution. */
#ifndef CLEW_IMPORT_RAPID_STD_H
#define CLEW_IMPORT_RAPID_STD_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/format.h"
#include "wire/kind.h"

/* OPERATION(name, kind) */
#define STD_OPERATION_LIST(OPERATION) \
    OPERATION("r", READ)              \
    OPERATION("w", WRITE)             \
    OPERATION("acq", LOCK)            \
    OPERATION("rel", UNLOCK)          \
    OPERATION("fork", THREAD_CREATE)  \
    OPERATION("join", THREAD_JOIN)    \
    OPERATION("begin", ATOMIC_BEGIN)  \
    OPERATION("end", ATOMIC_END)

/* Whether a line, or its available part, begins as an event of this form does. */
bool std_is_event(const char *line, size_t size);

/* The `create` of format_std. */
struct writer *std_writer_new(struct out *out, const struct tables *t, struct notes *n);

#endif
