#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t utf8_size(const char *text, size_t size)
{
    const unsigned char *b = (const unsigned char *)text;
    const unsigned char c = b[0];
    const size_t length = c < 0x80   ? 1
                          : c < 0xc2 ? 0
                          : c < 0xe0 ? 2
                          : c < 0xf0 ? 3
                          : c < 0xf5 ? 4
                                     : 0;
    if (length == 0 || length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((b[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((c == 0xe0 && b[1] < 0xa0) || (c == 0xed && b[1] >= 0xa0) || (c == 0xf0 && b[1] < 0x90) ||
        (c == 0xf4 && b[1] >= 0x90)) {
        return 0;
    }
    return length;
}

size_t utf8_valid_size(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        uint64_t word = 0;
        if (size - at >= sizeof word) {
            memcpy(&word, text + at, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof word;
                continue;
            }
        }
        const size_t length = utf8_size(text + at, size - at);
        if (length == 0) {
            break;
        }
        at += length;
    }
    return at;
}

bool utf8_is_ascii(const char *text, size_t size)
{
    unsigned char all = 0;
    for (size_t i = 0; i < size; i++) {
        all |= (unsigned char)text[i];
    }
    return all < 0x80;
}
