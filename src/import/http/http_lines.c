#include "import/http/access_line.h"
#include "import/http/http_reader.h"
#include "import/import.h"
#include "trace/line_reader.h"

/* Lines of an application's log, by the active `line` rules; without any, those of an access log.
 * Lines that match none are counted. */

/* A line's own bytes: some logs end lines in \r\n. */
static struct piece without_return(struct piece line)
{
    while (line.size > 0 && line.at[line.size - 1] == '\r') {
        line.size--;
    }
    return line;
}

static bool has_patterns(const struct http_rules *rules)
{
    return rules != NULL && rules->lines.count > 0;
}

static bool match_line(const struct http_rules *rules, struct piece line, struct access_line *a)
{
    if (!has_patterns(rules)) {
        return access_line_parse(line, a);
    }
    *a = (struct access_line){0};
    vec_each (&rules->lines, pattern) {
        if (line_pattern_matches(*pattern, line, &a->fields)) {
            return true;
        }
    }
    return false;
}

/* A path of an access log for several hosts belongs to one of them. */
static void set_uri(struct http_exchange *x, const struct access_line *a)
{
    const struct piece uri = a->fields.values[LINE_RES];
    text_clear(&x->uri);
    if (a->host.size > 0 && piece_begins(uri, "/")) {
        text_add(&x->uri, piece_of("http://"));
        text_add(&x->uri, a->host);
    }
    text_add(&x->uri, uri);
}

/* Adds the request of the line; false when its verb or status is invalid, because the line only
 * looks like a request. */
static bool add_line(struct http_reader *r, const struct access_line *a, uint64_t offset)
{
    struct http_exchange *x = &r->exchange;
    const struct line_fields *f = &a->fields;
    http_exchange_clear(x, offset);
    http_reader_verb(r, f->values[LINE_VERB]);
    x->status = http_reader_status(f->values[LINE_STATUS]);
    const struct piece verb = text_piece(&x->method);
    const bool is_request =
        http_verb_is_known(verb) || (!has_patterns(r->log.rules) && http_verb_is_method(verb));
    if (!is_request || (x->status == 0 && f->values[LINE_STATUS].size > 0)) {
        return false;
    }
    set_uri(x, a);
    text_set(&x->track, f->values[LINE_TASK]);
    /* A log without a status records successful requests only. */
    x->status = f->values[LINE_STATUS].size == 0 ? 200 : x->status;
    x->is_timeless = f->values[LINE_TIME].size == 0;
    x->has_start = f->has_time;
    x->start_ns = f->time_ns;
    if (f->values[LINE_VERSION].size > 0) {
        http_headers_add(&x->asked, piece_of("If-Match"), f->values[LINE_VERSION]);
    }
    if (f->values[LINE_ETAG].size > 0) {
        http_headers_add(&x->told, piece_of("ETag"), f->values[LINE_ETAG]);
    }
    if (a->traceparent.size > 0) {
        http_headers_add(&x->asked, piece_of("traceparent"), a->traceparent);
    } else if (!has_patterns(r->log.rules)) {
        http_log_count(&r->log, HTTP_CLIENT, offset);
    }
    http_log_add(&r->log, x);
    return true;
}

static int read_all(struct http_reader *r, struct err *e)
{
    const struct http_rules *rules = r->log.rules;
    struct lines lines = {.in = &r->cursor.in};
    int more = 0;
    while ((more = lines_next(&lines, e)) > 0) {
        const struct piece line = without_return((struct piece){lines.text, lines.size});
        struct access_line a;
        if (match_line(rules, line, &a) && add_line(r, &a, lines.offset)) {
            r->cursor.tables->tick_ns = a.fields.has_time ? 1 : r->cursor.tables->tick_ns;
        } else if (piece_trimmed(line).size > 0) {
            http_log_count(&r->log, HTTP_NO_LINE, lines.offset);
        }
    }
    if (more == 0 && r->log.exchange_count == 0 && !has_patterns(rules)) {
        return err_set(e, "byte 0: no line is a request as access logs have them; a line rule says "
                          "how others are read: line '%%t [%%task] %%verb %%res %%status' (see "
                          "clew rules --help)");
    }
    return more;
}

static const struct http_reader_ops ops = {.source = "http-log", .read = read_all};

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    (void)e;
    return http_reader_new(sizeof(struct http_reader), &ops, in, t, n);
}

/* One of the first lines matches a rule. */
static int sniff(const char *bytes, size_t size)
{
    struct piece rest = {bytes, size};
    while (rest.size > 0) {
        const struct piece line = {rest.at, piece_until(rest, '\n')};
        rest = piece_after(rest, line.size < rest.size ? line.size + 1 : line.size);
        struct access_line a;
        if (match_line(http_rules_in_use(), without_return(line), &a)) {
            return 95;
        }
    }
    return 0;
}

const struct format format_http_log = {
    .name = "http-log",
    .ending = ".log",
    .meaning = "HTTP requests in an access log, or in log lines that a line rule parses",
    .sniff = sniff,
    .open = open_reader,
};
