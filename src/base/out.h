/* Buffered output. A file is written under a temporary name and renamed when it is complete, so
 * that a reader never sees half of it. The first failure is kept, and out_close reports it. */
#ifndef CLEW_BASE_OUT_H
#define CLEW_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct out {
    char *buffer; /* bytes not yet written; for memory, all of them */
    size_t used;
    size_t capacity;
    uint64_t written; /* bytes that have left the buffer */

    int fd;       /* -1: memory */
    bool owns_fd; /* closes it at the end */
    char *name;   /* its path, or its name in messages; NULL for memory */
    char *beside; /* the temporary name, NULL when it is not renamed */
    bool failed;
    struct err failure;
};

/* Opens path for writing; "-" is standard output, and so are its names on Linux (/dev/stdout). A
 * path that is no regular file (a device, a pipe) is written in place; a symbolic link is followed.
 */
MUST_USE int out_open(struct out *o, const char *path, struct err *e);

/* Like out_open, but the file has its name from the start and grows in place: for logs that must
 * survive a crash. */
MUST_USE int out_open_in_place(struct out *o, const char *path, struct err *e);

/* Writes on a descriptor that stays open: standard output or error, or one of the caller's. */
void out_open_fd(struct out *o, int fd);

/* Protects standard output from foreign code in this process that may print: descriptor 1, and with
 * it stdio's stdout, becomes a duplicate of fd. This module writes standard output through a
 * private duplicate, also where it was opened before. A second call only changes fd. */
MUST_USE int out_set_apart(int fd, struct err *e);

/* In a child before exec: makes descriptor 1 standard output again. */
void out_rejoin(void);

/* Collects in memory; o->buffer and o->used are the result until out_abandon. */
void out_open_memory(struct out *o);

void out_bytes(struct out *o, const void *bytes, size_t size);
void out_text(struct out *o, const char *text);
void out_char(struct out *o, char c);
void out_u64(struct out *o, uint64_t number);
void out_i64(struct out *o, int64_t number);
void out_format(struct out *o, const char *format, ...) PRINTF_LIKE(2, 3);

/* The text as one word of a shell, in single quotes. */
void out_quoted(struct out *o, const char *text);

/* Writes the buffer; -1 when this or any earlier write failed. */
MUST_USE int out_flush(struct out *o, struct err *e);

/* Flushes, closes and renames the file into place. On failure the partial file is removed. */
MUST_USE int out_close(struct out *o, struct err *e);

/* Closes and removes the file. */
void out_abandon(struct out *o);

/* Removes the unfinished files, for an immediate exit; async-signal-safe. */
void out_abandon_all(void);

#endif
