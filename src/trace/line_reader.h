/* A line reader: the lines of a text input in sequence, each of bounded length.
 *
 *     struct lines l = {.in = &in};
 *     while ((more = lines_next(&l, e)) > 0) { ... l.text[0 .. l.size) is line l.number ... }
 */
#ifndef CLEW_TRACE_LINE_READER_H
#define CLEW_TRACE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/in.h"

/* An event of eight names of a mebibyte, each byte an escape of four, and the separators. */
enum { LINE_SIZE_MAX = 33 << 20 };

struct lines {
    struct in *in;
    const char *text; /* without its end; valid until the next call */
    size_t size;
    uint64_t number; /* from 1 */
    uint64_t offset; /* of the line, in bytes */
    size_t taken;    /* bytes of the window that the line and its end take */
    bool lacks_end;  /* the line is the last, and the input ends with it */
};

/* Moves to the next line: 1, 0 at the end of the input, -1 on a read error or a line that is too
 * long. The last line may lack its end. */
MUST_USE int lines_next(struct lines *l, struct err *e);

#endif
