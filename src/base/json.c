#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

struct json json_begin(struct out *out)
{
    return (struct json){.out = out};
}

static void new_line(struct json *j)
{
    if (j->is_pretty) {
        out_char(j->out, '\n');
        for (int i = 0; i < j->depth; i++) {
            out_text(j->out, "  ");
        }
    }
}

/* Writes everything before a value: the comma, the line, the key. */
static void lead(struct json *j, const char *key)
{
    must((key == NULL) == (j->depth == 0 || j->closer[j->depth - 1] == ']'));
    if (j->depth > 0) {
        if (j->has_value[j->depth - 1]) {
            out_char(j->out, ',');
        }
        j->has_value[j->depth - 1] = true;
        new_line(j);
    }
    if (key != NULL) {
        json_quote(j->out, key, strlen(key));
        out_text(j->out, j->is_pretty ? ": " : ":");
    }
}

static void open_nested(struct json *j, const char *key, char opener, char closer)
{
    lead(j, key);
    must(j->depth < JSON_DEPTH_MAX);
    out_char(j->out, opener);
    j->closer[j->depth] = closer;
    j->has_value[j->depth] = false;
    j->depth++;
}

void json_object(struct json *j, const char *key)
{
    open_nested(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
    open_nested(j, key, '[', ']');
}

void json_end(struct json *j)
{
    must(j->depth > 0);
    j->depth--;
    if (j->has_value[j->depth]) {
        new_line(j);
    }
    out_char(j->out, j->closer[j->depth]);
}

static void escape(struct out *out, unsigned char c)
{
    switch (c) {
    case '"': out_text(out, "\\\""); return;
    case '\\': out_text(out, "\\\\"); return;
    case '\n': out_text(out, "\\n"); return;
    case '\r': out_text(out, "\\r"); return;
    case '\t': out_text(out, "\\t"); return;
    default: out_format(out, "\\u%04x", c);
    }
}

void json_quote(struct out *out, const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;
    out_char(out, '"');
    size_t plain_from = 0;
    for (size_t i = 0; i < size;) {
        if (b[i] >= 0x20 && b[i] < 0x7f && b[i] != '"' && b[i] != '\\') {
            i++;
            continue;
        }
        const size_t length = b[i] < 0x80 ? 0 : utf8_size(bytes + i, size - i);
        if (length > 0) {
            i += length;
            continue;
        }
        out_bytes(out, bytes + plain_from, i - plain_from);
        if (b[i] < 0x80) {
            escape(out, b[i]);
        } else {
            out_text(out, "\xef\xbf\xbd");
        }
        plain_from = ++i;
    }
    out_bytes(out, bytes + plain_from, size - plain_from);
    out_char(out, '"');
}

void json_text(struct json *j, const char *key, const char *text)
{
    lead(j, key);
    json_quote(j->out, text, strlen(text));
}

void json_u64(struct json *j, const char *key, uint64_t number)
{
    lead(j, key);
    out_u64(j->out, number);
}

void json_i64(struct json *j, const char *key, int64_t number)
{
    lead(j, key);
    out_i64(j->out, number);
}

void json_double(struct json *j, const char *key, double number)
{
    lead(j, key);
    must(isfinite(number));
    out_format(j->out, "%.6g", number);
}

void json_thousandths(struct json *j, const char *key, uint64_t thousandths)
{
    enum { THOUSAND = 1000 };
    lead(j, key);
    out_u64(j->out, thousandths / THOUSAND);
    if (thousandths % THOUSAND != 0) {
        out_format(j->out, ".%03u", (unsigned)(thousandths % THOUSAND));
    }
}

void json_bool(struct json *j, const char *key, bool value)
{
    lead(j, key);
    out_text(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
    lead(j, key);
    out_text(j->out, "null");
}
