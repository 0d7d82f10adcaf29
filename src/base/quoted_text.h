/* Foreign text inside a message: quoted, short, and without control characters. */
#ifndef CLEW_BASE_QUOTED_TEXT_H
#define CLEW_BASE_QUOTED_TEXT_H

#include <stddef.h>
#include <string.h>

enum { SHOWN_SIZE_MAX = 40 };

struct shown {
    char text[SHOWN_SIZE_MAX + sizeof "\"\"..."];
};

static inline struct shown shown(const char *text, size_t size)
{
    const size_t kept = size < SHOWN_SIZE_MAX ? size : SHOWN_SIZE_MAX;
    struct shown s = {"\""};
    for (size_t i = 0; i < kept; i++) {
        const char c = text[i];
        s.text[1 + i] = '?';
        if (c >= ' ' && c < 0x7f) {
            s.text[1 + i] = c;
        }
    }
    memcpy(s.text + 1 + kept, size > kept ? "...\"" : "\"", size > kept ? 5 : 2);
    return s;
}

/* Removes control characters from a whole message that holds foreign text, where it should not be
 * truncated. */
static inline void shown_clean(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text >= ' ' && *text < 0x7f ? *text : '?';
    }
}

#endif
