#include <inttypes.h>

#include "base/quoted_text.h"
#include "import/http/http_reader.h"
#include "import/http/wall_time.h"
#include "import/import.h"
#include "trace/line_reader.h"

/* A line per request under a line of headings:
 *
 *     trackingId    Event    ResourceUri                  Response
 *     1             HttpGet  http://localhost/accounts/7  200 OK
 *
 * Columns are separated by tabs; by blanks when the headings have no tab, and then the last takes
 * the rest of the line. They may stand in any order. Start and End are times; any other column is a
 * header of that name, of the request and of its answer. */
enum { COLUMNS_MAX = 32 };

enum column {
    COLUMN_TRACK,
    COLUMN_VERB,
    COLUMN_URI,
    COLUMN_STATUS,
    COLUMN_START,
    COLUMN_END,
    COLUMN_HEADER
};

static const struct {
    const char *heading;
    enum column column;
} headings[] = {
    {"trackingId", COLUMN_TRACK}, {"Event", COLUMN_VERB},  {"ResourceUri", COLUMN_URI},
    {"Response", COLUMN_STATUS},  {"Start", COLUMN_START}, {"End", COLUMN_END},
};

struct table {
    struct http_reader reader;
    struct text heading_text;
    struct piece names[COLUMNS_MAX];
    enum column columns[COLUMNS_MAX];
    size_t column_count;
    bool has_tabs;
};

/* Takes the next column off the row. */
static struct piece take_column(const struct table *t, struct piece *row, bool is_last)
{
    *row = t->has_tabs ? *row : piece_trimmed(*row);
    const size_t tab = piece_until(*row, '\t');
    const size_t blank = t->has_tabs ? tab : piece_until(*row, ' ');
    const size_t size = is_last ? row->size : tab < blank ? tab : blank;
    must(size <= row->size);
    const struct piece column = {row->at, size};
    *row = piece_after(*row, size < row->size ? size + 1 : size);
    return piece_trimmed(column);
}

static int read_headings(struct table *t, struct piece line, uint64_t offset, struct err *e)
{
    bool has[COLUMN_HEADER + 1] = {0};
    text_set(&t->heading_text, line);
    struct piece row = text_piece(&t->heading_text);
    t->has_tabs = piece_until(row, '\t') < row.size;
    while (piece_trimmed(row).size > 0) {
        if (t->column_count == COLUMNS_MAX) {
            return err_set(e, "byte %" PRIu64 ": more than %d columns", offset, COLUMNS_MAX);
        }
        const struct piece name = take_column(t, &row, false);
        enum column column = COLUMN_HEADER;
        for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
            column = piece_is_like(name, headings[i].heading) ? headings[i].column : column;
        }
        t->names[t->column_count] = name;
        t->columns[t->column_count++] = column;
        has[column] = true;
    }
    for (size_t i = COLUMN_TRACK; i <= COLUMN_STATUS; i++) {
        if (!has[i]) {
            return err_set(e, "byte %" PRIu64 ": there is no column %s", offset,
                           headings[i].heading);
        }
    }
    must(t->column_count <= COLUMNS_MAX);
    t->reader.exchange.is_timeless = !has[COLUMN_START];
    t->reader.cursor.tables->tick_ns = has[COLUMN_START] ? 1 : t->reader.cursor.tables->tick_ns;
    return 0;
}

static void set_column(struct http_exchange *x, struct http_reader *r, enum column column,
                       struct piece name, struct piece value)
{
    switch (column) {
    case COLUMN_TRACK: text_set(&x->track, value); break;
    case COLUMN_VERB: http_reader_verb(r, value); break;
    case COLUMN_URI: text_set(&x->uri, value); break;
    case COLUMN_STATUS: x->status = http_reader_status(value); break;
    case COLUMN_START: x->has_start = wall_time_parse(value, &x->start_ns) > 0; break;
    case COLUMN_END: x->has_end = wall_time_parse(value, &x->end_ns) > 0; break;
    case COLUMN_HEADER:
        http_headers_add(&x->asked, name, value);
        http_headers_add(&x->told, name, value);
        break;
    }
}

static void read_row(struct table *t, struct piece line, uint64_t offset)
{
    struct http_exchange *x = &t->reader.exchange;
    http_exchange_clear(x, offset);
    for (size_t i = 0; i < t->column_count; i++) {
        const struct piece value = take_column(t, &line, i + 1 == t->column_count);
        if (value.size > 0) {
            set_column(x, &t->reader, t->columns[i], t->names[i], value);
        }
    }
    http_log_add(&t->reader.log, x);
}

static size_t mark_size(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static int read_all(struct http_reader *r, struct err *e)
{
    struct table *t = (struct table *)r;
    struct lines lines = {.in = &r->cursor.in};
    int more = 0;
    while ((more = lines_next(&lines, e)) > 0) {
        struct piece line = {lines.text, lines.size};
        line = piece_after(line, lines.offset == 0 ? mark_size(line.at, line.size) : 0);
        if (piece_trimmed(line).size == 0) {
            continue;
        }
        if (t->column_count > 0) {
            read_row(t, line, lines.offset);
        } else if (read_headings(t, line, lines.offset, e) < 0) {
            return -1;
        }
    }
    return more;
}

static void release(struct http_reader *r)
{
    struct table *t = (struct table *)r;
    text_release(&t->heading_text);
}

static const struct http_reader_ops ops = {
    .source = "http-tsv", .read = read_all, .release = release};

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    (void)e;
    return http_reader_new(sizeof(struct table), &ops, in, t, n);
}

/* Whether the first line is a heading, with two of the usual ones. */
static int sniff(const char *bytes, size_t size)
{
    const size_t mark = mark_size(bytes, size);
    const struct piece text = {bytes + mark, size - mark};
    const struct piece line = {text.at, piece_until(text, '\n')};
    const bool has_track = memmem(line.at, line.size, "rackingId", 9) != NULL;
    const bool has_uri = memmem(line.at, line.size, "esourceUri", 10) != NULL;
    return has_track && has_uri ? 85 : 0;
}

const struct format format_http_tsv = {
    .name = "http-tsv",
    .ending = ".tsv",
    .meaning = "HTTP requests in columns: tracking id, event, URI, response",
    .sniff = sniff,
    .open = open_reader,
};
