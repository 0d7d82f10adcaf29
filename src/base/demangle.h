/* Demangling of C++ names: "_ZN4Bank7balanceE" is Bank::balance. */
#ifndef CLEW_BASE_DEMANGLE_H
#define CLEW_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a name may contain this character. */
static inline bool demangle_is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Demangles a name at the beginning of the text: writes its source form to `to`, ended by a zero
 * and truncated to fit. Returns the number of bytes of the mangled name, 0 when there is none. */
size_t demangle(const char *text, size_t size, char *to, size_t to_size);

#endif
