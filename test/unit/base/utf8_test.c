#include "base/utf8.h"

#include "test.h"

static size_t valid(const char *text)
{
    return utf8_valid_size(text, strlen(text));
}

TEST(whole_characters_are_counted_up_to_the_first_fault)
{
    CHECK_INT(valid(""), 0);
    CHECK_INT(valid("plain text that is long enough"), 30);
    CHECK_INT(valid("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\xa7\xb6"), 15);
    CHECK_INT(valid("12345678\xc0\x80"), 8);    /* overlong */
    CHECK_INT(valid("a\xe0\x9f\xbf"), 1);       /* overlong */
    CHECK_INT(valid("a\xf0\x8f\xbf\xbf"), 1);   /* overlong */
    CHECK_INT(valid("ab\xed\xa0\x80"), 2);      /* a surrogate */
    CHECK_INT(valid("abc\xf4\x90\x80\x80"), 3); /* above U+10FFFF */
    CHECK_INT(valid("\x80"), 0);                /* begins in the middle */
    CHECK_INT(valid("0123456789\xe2\x82"), 10); /* cut short */
    CHECK_INT(valid("0123456\xc3\xa9\xff"), 9); /* across the eight bytes */
    CHECK_INT(valid("\xef\xbf\xbd\xf4\x8f\xbf\xbf"), 7);
}

/* The slow twin encodes every code point. */
TEST(exactly_the_scalar_values_are_characters)
{
    for (uint32_t code = 0x80; code < 0x120000; code++) {
        char b[4];
        size_t size = 0;
        if (code < 0x800) {
            b[size++] = (char)(0xc0 | code >> 6);
        } else if (code < 0x10000) {
            b[size++] = (char)(0xe0 | code >> 12);
            b[size++] = (char)(0x80 | (code >> 6 & 0x3f));
        } else {
            b[size++] = (char)(0xf0 | code >> 18);
            b[size++] = (char)(0x80 | (code >> 12 & 0x3f));
            b[size++] = (char)(0x80 | (code >> 6 & 0x3f));
        }
        b[size++] = (char)(0x80 | (code & 0x3f));
        const int is_scalar = code < 0x110000 && (code < 0xd800 || code > 0xdfff);
        if (utf8_size(b, size) != (is_scalar ? size : 0)) {
            fail_msg("U+%04X", code);
        }
    }
}
