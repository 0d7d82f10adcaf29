/* One request and its response, as a reader finds them: filled in piece by piece, in any order, and
 * reused for the next. It is independent of rules. */
#ifndef CLEW_IMPORT_HTTP_HTTP_EXCHANGE_H
#define CLEW_IMPORT_HTTP_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "import/text_builder.h"

struct http_header {
    size_t name, name_size;
    size_t value, value_size; /* in `bytes` */
};

/* {0} is empty. */
struct http_headers {
    struct text bytes;
    VEC(struct http_header) list;
};

/* {0} is empty. */
struct http_body {
    struct text text;
    bool is_base64; /* as written */
    bool is_cut;    /* the rest was too long to be kept */
};

/* The side that reports the exchange. */
enum http_view { VIEW_UNSAID, VIEW_CLIENT, VIEW_SERVER };

/* {0} is empty. */
struct http_exchange {
    struct text method, uri;
    struct text track;        /* the tracking id, where the format itself has one */
    struct text span, parent; /* ids: a server's parent is the client's span of the same request */
    enum http_view view;
    struct http_headers asked, told;
    struct http_body sent, got;
    int status; /* 0: there was no response */
    int64_t start_ns, end_ns;
    bool has_start, has_end;
    bool is_timeless; /* the format has no times: only the order of the list counts */
    uint64_t offset;  /* in the input */
};

/* Clears it for the next, keeping its memory. */
void http_exchange_clear(struct http_exchange *x, uint64_t offset);
void http_exchange_release(struct http_exchange *x);

void http_headers_add(struct http_headers *h, struct piece name, struct piece value);

/* The value of the first header of this name, ignoring case. False when there is none. */
bool http_headers_find(const struct http_headers *h, struct piece name, struct piece *value);

#endif
