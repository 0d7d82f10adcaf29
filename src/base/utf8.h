/* UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef CLEW_BASE_UTF8_H
#define CLEW_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the character at text[0], 0 when the bytes are no character. size must be at least
 * 1. */
size_t utf8_size(const char *text, size_t size);

/* The number of bytes from the front that are whole characters: size when all of it is UTF-8. ASCII
 * is skipped eight bytes at a time. */
size_t utf8_valid_size(const char *text, size_t size);

/* Whether all bytes are ASCII: much faster than the above, to be called first. */
bool utf8_is_ascii(const char *text, size_t size);

#endif
