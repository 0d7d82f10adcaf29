/* Text without stdio: appending to a fixed piece of memory. */
#ifndef CLEW_RUNTIME_SHARED_RAW_TEXT_H
#define CLEW_RUNTIME_SHARED_RAW_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Appends as much as fits before `end`; returns where it stopped, where a 0 byte may be written if
 * end was not its last byte. */
char *text_append(char *to, const char *end, const char *text);
char *text_append_number(char *to, const char *end, uint64_t number);

/* Fills all of to[0 .. size), cut to fit and padded with 0, of which there is at least one. */
void text_copy(char *to, size_t size, const char *from);

#endif
