/* The native form of traces, .clew: chunks (trace/chunk.h), append-only, so that everything written
 * before a crash can be read. docs/trace-format.md draws the payloads.
 *
 * Reading and writing go through format_native (trace/format.h). A truncated file is read up to its
 * last whole chunk, with a note of the number of bytes left. A file truncated in its first chunk is
 * an error, and so is a changed one, at the changed chunk. */
#ifndef CLEW_TRACE_STORE_H
#define CLEW_TRACE_STORE_H

#include "trace/format.h"

enum {
    STORE_NAMES_MAX = 4096,        /* names, or tasks, in a chunk */
    STORE_NAME_SIZE_MAX = 1 << 20, /* bytes in a name */
    STORE_UNPACK_MAX = 64, /* the largest ratio of unpacked to packed size of names and tasks */
};

/* Writes all pending events as whole chunks and flushes them to the system: for recordings, which
 * must survive the end of the recorder. w must be a writer of format_native. */
MUST_USE int store_flush(struct writer *w, struct err *e);

#endif
