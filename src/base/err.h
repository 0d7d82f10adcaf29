/* An error from outside the program: one sentence, built from the inside out.
 *
 *     if (read(...) < 0) { return err_set(e, "byte %zu: %s", offset, strerror(errno)); }
 *     if (store_read(...) < 0) { return err_wrap(e, "%s", path); }      "path: byte 12: ..."
 */
#ifndef CLEW_BASE_ERR_H
#define CLEW_BASE_ERR_H

#include "wire/must.h"

struct err {
    char text[512]; /* longer sentences are cut */
    int reason;     /* errno of a failed write (a closed pipe is no error of the user), else 0 */
};

/* Writes the sentence, without reason; always returns -1. */
int err_set(struct err *e, const char *format, ...) PRINTF_LIKE(2, 3);

/* Puts "context: " before the sentence; always returns -1. */
int err_wrap(struct err *e, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
