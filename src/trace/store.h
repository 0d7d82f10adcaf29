/* The native form of traces, .clew: chunks (trace/chunk.h), append-only, so that whatever was
 * written before a crash can be read. docs/trace-format.md draws the payloads.
 *
 * Reading and writing go through format_native (trace/format.h). A file cut short is read up to its
 * last whole chunk, with a note that says how many bytes were left; one cut short in its first
 * chunk is an error, and so is one that was changed, at the chunk that was. */
#ifndef CLEW_TRACE_STORE_H
#define CLEW_TRACE_STORE_H

#include "trace/format.h"

enum {
    STORE_NAMES_MAX = 4096,        /* names, or tasks, in a chunk */
    STORE_NAME_SIZE_MAX = 1 << 20, /* bytes in a name */
    STORE_UNPACK_MAX = 64,         /* names and tasks unpack to at most so many times their size */
};

/* Puts all events given so far into whole chunks and hands these to the system: for recordings,
 * which must survive the end of the recorder. w must be a writer of format_native. */
MUST_USE int store_flush(struct writer *w, struct err *e);

#endif
