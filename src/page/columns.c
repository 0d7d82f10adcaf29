#include "page/columns.h"

#include "wire/must.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

_Static_assert(sizeof digits == 64 + 1, "base64 has 64 digits");

struct column column_begin(struct out *out, size_t run, const char *name)
{
    out_format(out, "<script type=\"text/plain\" id=\"column-%zu-%s\">", run, name);
    return (struct column){.out = out};
}

static void put_group(struct column *c)
{
    if (c->used + 4 > sizeof c->text) {
        out_bytes(c->out, c->text, c->used);
        c->used = 0;
    }
    for (int shift = 18; shift >= 0; shift -= 6) {
        c->text[c->used++] = digits[c->group >> shift & 63];
    }
    c->group = 0;
    c->group_count = 0;
}

static inline void put_byte(struct column *c, uint8_t byte)
{
    must(c->group_count < 3);
    c->group = c->group << 8 | byte;
    c->group_count++;
    if (c->group_count == 3) {
        put_group(c);
    }
}

void column_add(struct column *c, uint64_t number)
{
    while (number > 127) {
        put_byte(c, (uint8_t)(number | 128));
        number >>= 7;
    }
    put_byte(c, (uint8_t)number);
}

void column_add_signed(struct column *c, int64_t number)
{
    column_add(c, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

void column_end(struct column *c)
{
    if (c->group_count > 0) {
        const uint32_t missing = 3 - c->group_count;
        c->group <<= 8 * missing;
        put_group(c);
        for (uint32_t i = 0; i < missing; i++) {
            c->text[c->used - 1 - i] = '=';
        }
    }
    out_bytes(c->out, c->text, c->used);
    out_text(c->out, "</script>\n");
    must(c->group_count == 0);
}
