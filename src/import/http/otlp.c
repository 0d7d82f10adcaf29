#include "import/http/http_reader.h"
#include "import/import.h"
#include "import/json/json_tree.h"

/* Spans of OpenTelemetry as its protocol writes them in JSON, one object or one per line. A span is
 * an HTTP request when its attributes say so, by the stable semantic conventions or the earlier
 * ones. The tracking id is the trace's, unless a rule names a header that is among the attributes.
 * For a request that both its client and its server report, the server's span counts. */
enum place {
    ELSEWHERE = JSON_ELSEWHERE,
    ROOT = JSON_ROOT,
    RESOURCE_SPANS,
    RESOURCE_SPAN,
    SCOPE_SPANS,
    SCOPE_SPAN,
    SPANS,
    SPAN,
    TRACE_ID,
    SPAN_ID,
    PARENT_ID,
    KIND,
    START,
    END,
    ATTRIBUTES,
    ATTRIBUTE,
    KEY,
    VALUE,
    VALUE_TEXT,
    VALUE_ARRAY,
    VALUE_LIST,
    VALUE_ELEMENT,
};

static const struct json_place places[] = {
    {ROOT, "resourceSpans", RESOURCE_SPANS},
    {RESOURCE_SPANS, NULL, RESOURCE_SPAN},
    {RESOURCE_SPAN, "scopeSpans", SCOPE_SPANS},
    {RESOURCE_SPAN, "instrumentationLibrarySpans", SCOPE_SPANS},
    {SCOPE_SPANS, NULL, SCOPE_SPAN},
    {SCOPE_SPAN, "spans", SPANS},
    {SPANS, NULL, SPAN},
    {SPAN, "traceId", TRACE_ID},
    {SPAN, "spanId", SPAN_ID},
    {SPAN, "parentSpanId", PARENT_ID},
    {SPAN, "kind", KIND},
    {SPAN, "startTimeUnixNano", START},
    {SPAN, "endTimeUnixNano", END},
    {SPAN, "attributes", ATTRIBUTES},
    {ATTRIBUTES, NULL, ATTRIBUTE},
    {ATTRIBUTE, "key", KEY},
    {ATTRIBUTE, "value", VALUE},
    {VALUE, "stringValue", VALUE_TEXT},
    {VALUE, "intValue", VALUE_TEXT},
    {VALUE, "arrayValue", VALUE_ARRAY},
    {VALUE_ARRAY, "values", VALUE_LIST},
    {VALUE_LIST, NULL, VALUE_ELEMENT},
    {VALUE_ELEMENT, "stringValue", VALUE_TEXT},
    {0},
};

/* The meanings of attributes; the newer name first. */
enum meaning {
    MEANS_NOTHING,
    MEANS_METHOD,
    MEANS_URL,
    MEANS_HOST,
    MEANS_PORT,
    MEANS_PATH,
    MEANS_QUERY,
    MEANS_STATUS,
    MEANING_COUNT,
};

static const struct {
    const char *key;
    enum meaning meaning;
} meanings[] = {
    {"http.request.method", MEANS_METHOD},
    {"http.method", MEANS_METHOD},
    {"url.full", MEANS_URL},
    {"http.url", MEANS_URL},
    {"server.address", MEANS_HOST},
    {"http.host", MEANS_HOST},
    {"server.port", MEANS_PORT},
    {"url.path", MEANS_PATH},
    {"http.target", MEANS_PATH},
    {"url.query", MEANS_QUERY},
    {"http.response.status_code", MEANS_STATUS},
    {"http.status_code", MEANS_STATUS},
};

#define ASKED_HEADER "http.request.header."
#define TOLD_HEADER "http.response.header."

struct otlp {
    struct http_reader reader;
    struct text key, value; /* of the current attribute */
    struct text by_meaning[MEANING_COUNT];
};

static void open_place(void *context, uint8_t place, uint64_t offset)
{
    struct otlp *o = context;
    if (place == SPAN) {
        http_exchange_clear(&o->reader.exchange, offset);
        for (size_t i = 0; i < MEANING_COUNT; i++) {
            text_clear(&o->by_meaning[i]);
        }
    } else if (place == ATTRIBUTE) {
        text_clear(&o->key);
        text_clear(&o->value);
    }
}

/* Headers are attributes whose names may have an _ for a -. */
static void add_header(struct http_headers *h, struct text *key, size_t prefix_size,
                       struct piece value)
{
    vec_each (&key->chars, c) {
        *c = *c == '_' ? '-' : *c;
    }
    http_headers_add(h, piece_after(text_piece(key), prefix_size), value);
}

static void take_attribute(struct otlp *o)
{
    const struct piece key = text_piece(&o->key);
    const struct piece value = text_piece(&o->value);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (piece_is(key, meanings[i].key)) {
            text_set(&o->by_meaning[meanings[i].meaning], value);
            return;
        }
    }
    if (piece_begins(key, ASKED_HEADER)) {
        add_header(&o->reader.exchange.asked, &o->key, sizeof ASKED_HEADER - 1, value);
    } else if (piece_begins(key, TOLD_HEADER)) {
        add_header(&o->reader.exchange.told, &o->key, sizeof TOLD_HEADER - 1, value);
    }
}

static void take_uri(struct otlp *o)
{
    struct http_exchange *x = &o->reader.exchange;
    const struct piece url = text_piece(&o->by_meaning[MEANS_URL]);
    if (url.size > 0) {
        text_set(&x->uri, url);
        return;
    }
    if (o->by_meaning[MEANS_HOST].chars.count > 0) {
        text_add(&x->uri, piece_of("http://"));
        text_add(&x->uri, text_piece(&o->by_meaning[MEANS_HOST]));
        if (o->by_meaning[MEANS_PORT].chars.count > 0) {
            text_add_char(&x->uri, ':');
            text_add(&x->uri, text_piece(&o->by_meaning[MEANS_PORT]));
        }
    }
    text_add(&x->uri, text_piece(&o->by_meaning[MEANS_PATH]));
    if (o->by_meaning[MEANS_QUERY].chars.count > 0) {
        text_add_char(&x->uri, '?');
        text_add(&x->uri, text_piece(&o->by_meaning[MEANS_QUERY]));
    }
}

static void take_span(struct otlp *o)
{
    struct http_exchange *x = &o->reader.exchange;
    if (o->by_meaning[MEANS_METHOD].chars.count == 0) {
        http_log_count(&o->reader.log, HTTP_NO_HTTP, x->offset);
        return;
    }
    text_set(&x->method, text_piece(&o->by_meaning[MEANS_METHOD]));
    x->status = http_reader_status(text_piece(&o->by_meaning[MEANS_STATUS]));
    take_uri(o);
    http_log_add(&o->reader.log, x);
}

static void close_place(void *context, uint8_t place)
{
    if (place == SPAN) {
        take_span(context);
    } else if (place == ATTRIBUTE) {
        take_attribute(context);
    }
}

/* A kind is written as its number or its name. */
static enum http_view view_of(struct piece kind)
{
    const bool is_server = piece_is(kind, "2") || piece_is(kind, "SPAN_KIND_SERVER");
    const bool is_client = piece_is(kind, "3") || piece_is(kind, "SPAN_KIND_CLIENT");
    return is_server ? VIEW_SERVER : is_client ? VIEW_CLIENT : VIEW_UNSAID;
}

static void set_value(void *context, uint8_t place, const struct json_value *value)
{
    struct otlp *o = context;
    struct http_exchange *x = &o->reader.exchange;
    switch ((enum place)place) {
    case TRACE_ID: text_set(&x->track, value->text); break;
    case SPAN_ID: text_set(&x->span, value->text); break;
    case PARENT_ID: text_set(&x->parent, value->text); break;
    case KIND: x->view = view_of(value->text); break;
    case START:
        x->start_ns = json_whole(value->text);
        x->has_start = x->start_ns > 0;
        break;
    case END:
        x->end_ns = json_whole(value->text);
        x->has_end = x->end_ns > 0;
        break;
    case KEY: text_set(&o->key, value->text); break;
    case VALUE_TEXT:
        if (o->value.chars.count == 0) {
            text_set(&o->value, value->text);
        }
        break;
    case ELSEWHERE:
    case ROOT:
    case RESOURCE_SPANS:
    case RESOURCE_SPAN:
    case SCOPE_SPANS:
    case SCOPE_SPAN:
    case SPANS:
    case SPAN:
    case ATTRIBUTES:
    case ATTRIBUTE:
    case VALUE:
    case VALUE_ARRAY:
    case VALUE_LIST:
    case VALUE_ELEMENT: break; /* no object or array, as expected */
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
    struct otlp *o = (struct otlp *)r;
    text_release(&o->key);
    text_release(&o->value);
    for (size_t i = 0; i < MEANING_COUNT; i++) {
        text_release(&o->by_meaning[i]);
    }
}

static const struct http_reader_ops ops = {.source = "otlp", .read = read_all, .release = release};

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    (void)e;
    t->tick_ns = 1;
    return http_reader_new(sizeof(struct otlp), &ops, in, t, n);
}

static int sniff(const char *bytes, size_t size)
{
    return json_begins_with((struct piece){bytes, size}, "resourceSpans") ? 95 : 0;
}

const struct format format_otlp = {
    .name = "otlp",
    .ending = ".json",
    .meaning = "OpenTelemetry spans in JSON (OTLP)",
    .sniff = sniff,
    .open = open_reader,
};
