/* Input bytes: a file, standard input or memory, seen through a window that slides forward.
 *
 *     while ((available = in_fill(&in, 1, e)) > 0) {
 *         ... in.at[0 .. available) ...; in_skip(&in, n); }
 */
#ifndef CLEW_BASE_IN_H
#define CLEW_BASE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct in {
    const char *at;   /* the window: the next byte to be read ... */
    size_t available; /* ... and the number available */
    uint64_t offset;  /* of at[0], from the beginning of the input */
    uint64_t size;    /* of the whole input, 0 when unknown (a pipe) */
    bool is_end;      /* the input ends with the window */

    /* Not 0 once a stop was requested: the input then ends with its last whole line, even during a
     * wait. NULL: no stop. */
    const volatile int *is_stopped;

    int fd;
    char *buffer;
    size_t capacity;
};

/* Opens path ("-": standard input). Fails on a missing file, a directory, or another read error. */
MUST_USE int in_open(struct in *in, const char *path, struct err *e);

/* Reads from a descriptor, which in_close closes. */
void in_open_fd(struct in *in, int fd);

/* Reads from bytes, which must outlive the reader. */
void in_open_memory(struct in *in, const void *bytes, size_t size);

/* Widens the window to at least `wanted` bytes unless the input ends first; it reads a block at a
 * time, so the window may become wider. Returns the number available, -1 on a read error. The
 * window may move. */
MUST_USE ssize_t in_fill(struct in *in, size_t wanted, struct err *e);

/* Whether a read would block: no bytes are available, and none arrive within this time. */
bool in_is_slow(const struct in *in, int milliseconds);

/* Widens the window to the rest of the input. Fails also when that is more than size_max bytes. */
MUST_USE int in_fill_all(struct in *in, size_t size_max, struct err *e);

void in_skip(struct in *in, size_t count);
void in_close(struct in *in);

#endif
