/* Text without stdio and without allocation: appends to a buffer of fixed size. */
#ifndef CLEW_RUNTIME_SHARED_RAW_TEXT_H
#define CLEW_RUNTIME_SHARED_RAW_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Appends as many bytes as fit before `end`, without a NUL. Returns the new end of the text. If the
 * buffer has a byte at `end`, the caller may store a NUL at the returned address. */
char *text_append(char *to, const char *end, const char *text);
char *text_append_number(char *to, const char *end, uint64_t number);

/* Fills all of to[0 .. size), cut to fit and padded with 0, of which there is at least one. */
void text_copy(char *to, size_t size, const char *from);

#endif
