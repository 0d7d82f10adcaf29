/* Bytes from outside: a file, standard input or memory, seen through a window that slides forward.
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
    size_t available; /* ... and how many are there */
    uint64_t offset;  /* of at[0], from the beginning of the input */
    uint64_t size;    /* of the whole input, 0 when not known (a pipe) */
    bool is_end;      /* nothing comes after the window */

    /* Not 0 once somebody wants an end: the input then ends with its last whole line, even while
     * it is waited for. NULL: nobody will. */
    const volatile int *is_stopped;

    int fd;
    char *buffer;
    size_t capacity;
};

/* Opens path ("-": standard input). Fails on what cannot be read: a missing file, a directory. */
MUST_USE int in_open(struct in *in, const char *path, struct err *e);

/* Reads from a descriptor, which in_close closes. */
void in_open_fd(struct in *in, int fd);

/* Reads from bytes, which must outlive the reader. */
void in_open_memory(struct in *in, const void *bytes, size_t size);

/* Widens the window to at least `wanted` bytes unless the input ends first; a block is read at a
 * time, so it may become wider. Returns how many are available, -1 on a read error. The window may
 * move. */
MUST_USE ssize_t in_fill(struct in *in, size_t wanted, struct err *e);

/* Whether bytes have to be waited for: none are there, and none come within this time. */
bool in_is_slow(const struct in *in, int milliseconds);

/* Widens it to all that is left. Fails also when that is more than size_max bytes. */
MUST_USE int in_fill_all(struct in *in, size_t size_max, struct err *e);

void in_skip(struct in *in, size_t count);
void in_close(struct in *in);

#endif
