/* Names of C++ as their source has them: "_ZN4Bank7balanceE" is Bank::balance. */
#ifndef CLEW_BASE_DEMANGLE_H
#define CLEW_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a name may have this letter. */
static inline bool demangle_is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The text may begin with a mangled name: writes what that stands for to `to`, ended by a zero and
 * cut where it does not fit. Returns how many bytes of the text the name takes, 0 when it begins
 * with none. */
size_t demangle(const char *text, size_t size, char *to, size_t to_size);

#endif
