#include "import/http/base64.h"

#include <stdint.h>

/* The six bits of a letter, -1 for any other character. */
static int bits_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

bool base64_decode(struct text *bytes, struct piece letters)
{
    uint32_t held = 0;
    unsigned held_count = 0;
    bool is_ended = false;
    for (size_t i = 0; i < letters.size; i++) {
        const char c = letters.at[i];
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            continue;
        }
        const int bits = bits_of(c);
        is_ended = is_ended || c == '=';
        if (is_ended ? c != '=' : bits < 0) {
            return false;
        }
        if (!is_ended) {
            held = held << 6 | (uint32_t)bits;
            held_count += 6;
        }
        if (held_count >= 8) {
            held_count -= 8;
            text_add_char(bytes, (char)(held >> held_count & 0xff));
        }
        must(held_count < 8);
    }
    return true;
}
