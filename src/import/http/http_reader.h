/* The common part of the readers of HTTP captures: a cursor that reads its whole input into an
 * http_log on the first call, and then returns the log's events. */
#ifndef CLEW_IMPORT_HTTP_HTTP_READER_H
#define CLEW_IMPORT_HTTP_HTTP_READER_H

#include "import/http/http_exchange.h"
#include "import/http/http_log.h"
#include "trace/cursor.h"

struct http_reader;

/* The operations of a reader of one format. */
struct http_reader_ops {
    const char *source; /* the trace's */
    /* Reads everything, with http_log_add for each exchange. */
    int (*read)(struct http_reader *r, struct err *e);
    void (*release)(struct http_reader *r); /* releases its own memory; may be NULL */
};

/* A reader's struct begins with this. */
struct http_reader {
    struct cursor cursor;
    const struct http_reader_ops *ops;
    struct http_log log;
    struct http_exchange exchange; /* the current one */
    bool is_read;
};

/* A new reader of this many bytes, cleared to zero, that owns *in. */
struct cursor *http_reader_new(size_t size, const struct http_reader_ops *ops, struct in *in,
                               struct tables *t, struct notes *n);

/* Adds the verb of "GET", "get" or "HttpGet". */
void http_reader_verb(struct http_reader *r, struct piece word);

/* The status at the beginning of "200", "200 OK" or "200OK", 0 when none. */
int http_reader_status(struct piece text);

#endif
