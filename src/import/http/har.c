#include "import/http/http_reader.h"
#include "import/http/wall_time.h"
#include "import/import.h"
#include "import/json/json_tree.h"

/* HTTP Archive 1.2: log.entries, each with a request and a response. All other parts and unknown
 * fields are ignored. */
enum place {
    ELSEWHERE = JSON_ELSEWHERE,
    ROOT = JSON_ROOT,
    LOG,
    ENTRIES,
    ENTRY,
    STARTED,
    TIME,
    REQUEST,
    METHOD,
    URL,
    POST_DATA,
    POST_TEXT,
    POST_ENCODING,
    RESPONSE,
    STATUS,
    CONTENT,
    CONTENT_TEXT,
    CONTENT_ENCODING,
    ASKED,
    ASKED_HEADER,
    TOLD,
    TOLD_HEADER,
    HEADER_NAME,
    HEADER_VALUE,
};

static const struct json_place places[] = {
    {ROOT, "log", LOG},
    {LOG, "entries", ENTRIES},
    {ENTRIES, NULL, ENTRY},
    {ENTRY, "startedDateTime", STARTED},
    {ENTRY, "time", TIME},
    {ENTRY, "request", REQUEST},
    {REQUEST, "method", METHOD},
    {REQUEST, "url", URL},
    {REQUEST, "headers", ASKED},
    {ASKED, NULL, ASKED_HEADER},
    {ASKED_HEADER, "name", HEADER_NAME},
    {ASKED_HEADER, "value", HEADER_VALUE},
    {REQUEST, "postData", POST_DATA},
    {POST_DATA, "text", POST_TEXT},
    {POST_DATA, "encoding", POST_ENCODING},
    {ENTRY, "response", RESPONSE},
    {RESPONSE, "status", STATUS},
    {RESPONSE, "headers", TOLD},
    {TOLD, NULL, TOLD_HEADER},
    {TOLD_HEADER, "name", HEADER_NAME},
    {TOLD_HEADER, "value", HEADER_VALUE},
    {RESPONSE, "content", CONTENT},
    {CONTENT, "text", CONTENT_TEXT},
    {CONTENT, "encoding", CONTENT_ENCODING},
    {0},
};

struct har {
    struct http_reader reader;
    struct text name, value; /* of the current header */
    double time_ms;
};

static void open_place(void *context, uint8_t place, uint64_t offset)
{
    struct har *h = context;
    if (place == ENTRY) {
        http_exchange_clear(&h->reader.exchange, offset);
        h->time_ms = 0;
    } else if (place == ASKED_HEADER || place == TOLD_HEADER) {
        text_clear(&h->name);
        text_clear(&h->value);
    }
}

/* Beyond a year, or not a number at all: unknown. */
static void set_end(struct har *h)
{
    struct http_exchange *x = &h->reader.exchange;
    const double limit_ms = 366.0 * 86400 * 1000;
    x->has_end = x->has_start && h->time_ms > -limit_ms && h->time_ms < limit_ms;
    must(!x->has_end || x->has_start);
    x->end_ns = x->has_end ? x->start_ns + (int64_t)(h->time_ms * 1e6) : 0;
}

static void close_place(void *context, uint8_t place)
{
    struct har *h = context;
    struct http_exchange *x = &h->reader.exchange;
    if (place == ENTRY) {
        set_end(h);
        http_log_add(&h->reader.log, x);
    } else if (place == ASKED_HEADER || place == TOLD_HEADER) {
        http_headers_add(place == ASKED_HEADER ? &x->asked : &x->told, text_piece(&h->name),
                         text_piece(&h->value));
    }
}

static void set_body(struct har *h, struct http_body *body, const struct json_value *value)
{
    if (h->reader.log.rules->wants_body) {
        text_set(&body->text, value->text);
        body->is_cut = value->is_cut;
    }
}

static void set_value(void *context, uint8_t place, const struct json_value *value)
{
    struct har *h = context;
    struct http_exchange *x = &h->reader.exchange;
    switch ((enum place)place) {
    case STARTED: x->has_start = wall_time_parse(value->text, &x->start_ns) > 0; break;
    case TIME: h->time_ms = json_number(value->text); break;
    case METHOD: text_set(&x->method, value->text); break;
    case URL: text_set(&x->uri, value->text); break;
    case STATUS: x->status = http_reader_status(value->text); break;
    case POST_TEXT: set_body(h, &x->sent, value); break;
    case POST_ENCODING: x->sent.is_base64 = piece_is_like(value->text, "base64"); break;
    case CONTENT_TEXT: set_body(h, &x->got, value); break;
    case CONTENT_ENCODING: x->got.is_base64 = piece_is_like(value->text, "base64"); break;
    case HEADER_NAME: text_set(&h->name, value->text); break;
    case HEADER_VALUE: text_set(&h->value, value->text); break;
    case ELSEWHERE:
    case ROOT:
    case LOG:
    case ENTRIES:
    case ENTRY:
    case REQUEST:
    case POST_DATA:
    case RESPONSE:
    case CONTENT:
    case ASKED:
    case ASKED_HEADER:
    case TOLD:
    case TOLD_HEADER: break; /* no object or array, as expected */
    }
}

static const struct json_tree tree = {
    .places = places, .open = open_place, .close = close_place, .value = set_value};

static int read_all(struct http_reader *r, struct err *e)
{
    return json_tree_read(&tree, &r->cursor.in, r, e);
}

static void release(struct http_reader *r)
{
    struct har *h = (struct har *)r;
    text_release(&h->name);
    text_release(&h->value);
}

static const struct http_reader_ops ops = {.source = "har", .read = read_all, .release = release};

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    (void)e;
    t->tick_ns = 1;
    return http_reader_new(sizeof(struct har), &ops, in, t, n);
}

static int sniff(const char *bytes, size_t size)
{
    return json_begins_with((struct piece){bytes, size}, "log") ? 95 : 0;
}

const struct format format_har = {
    .name = "har",
    .ending = ".har",
    .meaning = "HTTP Archive 1.2, written by browsers and proxies",
    .sniff = sniff,
    .open = open_reader,
};
