#include "runtime/shared/raw_text.h"

#include <string.h>

#include "wire/must.h"

char *text_append(char *to, const char *end, const char *text)
{
    must(to <= end);
    while (to < end && *text != 0) {
        *to++ = *text++;
    }
    return to;
}

char *text_append_number(char *to, const char *end, uint64_t number)
{
    char digits[21];
    size_t at = sizeof digits;
    digits[--at] = 0;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return text_append(to, end, digits + at);
}

void text_copy(char *to, size_t size, const char *from)
{
    must(size > 0);
    size_t i = 0;
    for (; i + 1 < size && from[i] != 0; i++) {
        to[i] = from[i];
    }
    memset(to + i, 0, size - i);
}
