/* Bytes to the outside, buffered. A file is written beside its final name and renamed when it is
 * whole, so that a reader never sees half of it. The first failure is kept and told by out_close.
 */
#ifndef CLEW_BASE_OUT_H
#define CLEW_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct out {
    char *buffer; /* what has not left yet; for memory, all of it */
    size_t used;
    size_t capacity;
    uint64_t written; /* bytes that have left the buffer */

    int fd;       /* -1: memory */
    bool owns_fd; /* closes it at the end */
    char *name;   /* its path, or what messages call it; NULL for memory */
    char *beside; /* the name while writing, NULL when it is not renamed */
    bool failed;
    struct err failure;
};

/* Opens path for writing; "-" is standard output, and so are the names that Linux has for it
 * (/dev/stdout). A path that is no regular file (a device, a pipe)
 * is written in place; where it is a link, so is what it leads to. */
MUST_USE int out_open(struct out *o, const char *path, struct err *e);

/* Like out_open, but the file has its name from the start and grows in place: for logs that must
 * survive a crash. */
MUST_USE int out_open_in_place(struct out *o, const char *path, struct err *e);

/* Writes on a descriptor that stays open: standard output or error, or one of the caller's. */
void out_open_fd(struct out *o, int fd);

/* For code in this process that is not ours, and may print: descriptor 1, and with it stdio's
 * stdout, lead from now on to where fd does. Standard output is written by a duplicate that only
 * these functions know, also where it was opened before. Called again, only fd is another. */
MUST_USE int out_set_apart(int fd, struct err *e);

/* In a child that is to become another program: descriptor 1 is standard output again. */
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

/* Hands over what is buffered; -1 when this or anything before failed. */
MUST_USE int out_flush(struct out *o, struct err *e);

/* Flushes, closes and gives the file its name. On failure the half-written file is gone. */
MUST_USE int out_close(struct out *o, struct err *e);

/* Closes and leaves nothing behind. */
void out_abandon(struct out *o);

/* Removes the files still being written, when the program ends at once; safe in a signal handler.
 */
void out_abandon_all(void);

#endif
