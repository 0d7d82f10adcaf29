/* UTF-8 as Unicode has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef CLEW_BASE_UTF8_H
#define CLEW_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the character at text[0], 0 when the bytes there are none. size must be at least 1.
 */
size_t utf8_size(const char *text, size_t size);

/* How many bytes from the front are whole characters: size when all of it is UTF-8. ASCII is
 * passed over eight bytes at a time. */
size_t utf8_valid_size(const char *text, size_t size);

/* Whether all bytes are ASCII: much faster than the above, to be asked first. */
bool utf8_is_ascii(const char *text, size_t size);

#endif
