#include "import/http/http_find.h"

#include "import/http/base64.h"
#include "import/http/uri.h"

enum { TRACE_ID_SIZE = 32, TRACE_ID_AT = 3 };

/* The trace id of "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", by W3C's Trace
 * Context; an id of zeros is none. */
static struct piece trace_id(struct piece header)
{
    const struct piece id = {header.at + TRACE_ID_AT, TRACE_ID_SIZE};
    if (header.size < TRACE_ID_AT + TRACE_ID_SIZE + 1 || header.at[TRACE_ID_AT - 1] != '-' ||
        id.at[TRACE_ID_SIZE] != '-' || strspn(id.at, "0") >= TRACE_ID_SIZE) {
        return (struct piece){0};
    }
    return id;
}

/* The cookie's value in "a=1; b=2". */
static struct piece cookie_of(struct piece cookies, struct piece name)
{
    while (cookies.size > 0) {
        const struct piece pair =
            piece_trimmed((struct piece){cookies.at, piece_until(cookies, ';')});
        const size_t size = piece_until(pair, '=');
        if (size < pair.size && size == name.size && memcmp(pair.at, name.at, size) == 0) {
            return piece_after(pair, size + 1);
        }
        const size_t taken = piece_until(cookies, ';');
        cookies = piece_after(cookies, taken < cookies.size ? taken + 1 : taken);
    }
    return (struct piece){0};
}

static struct piece find_header(const struct http_source *source, const struct http_headers *h)
{
    struct piece value = {0};
    if (source->type == SOURCE_COOKIE) {
        return http_headers_find(h, piece_of("Cookie"), &value) ? cookie_of(value, source->name)
                                                                : (struct piece){0};
    }
    if (!http_headers_find(h, source->name, &value)) {
        return (struct piece){0};
    }
    return source->is_trace_id ? trace_id(value) : value;
}

struct finder {
    void (*found)(void *context, struct piece value);
    void *context;
};

static void pass_on(void *context, struct piece value)
{
    const struct finder *f = context;
    if (value.size > 0) {
        f->found(f->context, value);
    }
}

static enum http_body_fault find_in_body(const struct json_path *path, const struct http_body *b,
                                         struct finder *f)
{
    struct text decoded = {0};
    struct piece json = text_piece(&b->text);
    enum http_body_fault fault = BODY_RIGHT;
    if (json.size == 0) {
        return BODY_RIGHT;
    }
    if (b->is_base64 && !base64_decode(&decoded, json)) {
        fault = BODY_NOT_BASE64;
    } else {
        json = b->is_base64 ? text_piece(&decoded) : json;
        if (json.size > 0 && json_path_find(path, json, pass_on, f) < 0) {
            fault = b->is_cut ? BODY_CUT : BODY_NOT_JSON;
        }
    }
    text_release(&decoded);
    return fault;
}

enum http_body_fault http_find_all(const struct http_source *source, const struct http_exchange *x,
                                   enum http_side side,
                                   void (*found)(void *context, struct piece value), void *context)
{
    struct finder f = {.found = found, .context = context};
    struct piece value = {0};
    switch (source->type) {
    case SOURCE_NONE: return BODY_RIGHT;
    case SOURCE_BODY:
        return find_in_body(&source->path, side == SIDE_REQUEST ? &x->sent : &x->got, &f);
    case SOURCE_QUERY:
        if (!uri_query(text_piece(&x->uri), source->name, &value)) {
            return BODY_RIGHT;
        }
        break;
    case SOURCE_HEADER:
    case SOURCE_COOKIE:
        value = find_header(source, side == SIDE_REQUEST ? &x->asked : &x->told);
        break;
    }
    pass_on(&f, value);
    return BODY_RIGHT;
}

/* Keeps the first of several values. */
static void keep_first(void *context, struct piece value)
{
    struct text *first = context;
    if (first->chars.count == 0) {
        text_add(first, value);
    }
}

bool http_find(const struct http_source *source, const struct http_exchange *x, enum http_side side,
               struct text *value, enum http_body_fault *fault)
{
    text_clear(value);
    const enum http_body_fault met = http_find_all(source, x, side, keep_first, value);
    if (fault != NULL && met != BODY_RIGHT) {
        *fault = met;
    }
    return value->chars.count > 0;
}
