#include <inttypes.h>

#include "base/quoted_text.h"
#include "base/utf8.h"
#include "import/import.h"
#include "import/reports.h"
#include "wire/must.h"

/* Columns in any order, named by the first line; unknown columns are ignored. A value may be in
 * quotes, with "" for a quote in it; an empty one is absent. */
enum { COLUMNS_MAX = 64 };

struct reports_csv {
    struct reports reports;
    enum report_field columns[COLUMNS_MAX];
    size_t column_count; /* 0: the headings come next */
    struct text quoted;
};

/* Takes the next value off the row, into *value; false when a quote in it does not end. */
static bool take_value(struct reports_csv *r, struct piece *row, struct piece *value)
{
    *row = piece_trimmed(*row);
    if (!piece_begins(*row, "\"")) {
        *value = (struct piece){row->at, piece_until(*row, ',')};
        *row = piece_after(*row, value->size);
        *value = piece_trimmed(*value);
        return true;
    }
    text_clear(&r->quoted);
    *row = piece_after(*row, 1);
    for (;;) {
        const size_t size = piece_until(*row, '"');
        if (size == row->size) {
            return false;
        }
        text_add(&r->quoted, (struct piece){row->at, size});
        *row = piece_after(*row, size + 1);
        if (!piece_begins(*row, "\"")) {
            break;
        }
        text_add_char(&r->quoted, '"');
        *row = piece_after(*row, 1);
    }
    *value = text_piece(&r->quoted);
    *row = piece_trimmed(*row);
    return row->size == 0 || row->at[0] == ',';
}

static int read_headings(struct reports_csv *r, struct piece line, struct err *e)
{
    bool has_process = false;
    for (bool is_more = true; is_more; r->column_count++) {
        struct piece name;
        if (r->column_count == COLUMNS_MAX) {
            return reports_fail(&r->reports, "has more than 64 columns", e);
        }
        if (!take_value(r, &line, &name)) {
            return reports_fail(&r->reports, "has a quote that does not end", e);
        }
        must(r->column_count < COLUMNS_MAX);
        r->columns[r->column_count] = report_field_of(name);
        has_process = has_process || piece_is(name, "process");
        is_more = line.size > 0;
        line = piece_after(line, is_more);
    }
    return has_process ? 0 : reports_fail(&r->reports, "has no column \"process\"", e);
}

static int read_line(struct reports *reports, struct piece line, struct err *e)
{
    struct reports_csv *r = (struct reports_csv *)reports;
    if (utf8_valid_size(line.at, line.size) != line.size) {
        return reports_fail(reports, "is not UTF-8", e);
    }
    if (r->column_count == 0) {
        return read_headings(r, line, e);
    }
    size_t column = 0;
    for (bool is_more = true; is_more; column++) {
        struct piece value;
        if (column == r->column_count) {
            return reports_fail(reports, "has more columns than there are headings", e);
        }
        if (!take_value(r, &line, &value)) {
            return reports_fail(reports, "has a quote that does not end", e);
        }
        must(column < r->column_count);
        if (r->columns[column] < REPORT_FIELD_COUNT && value.size > 0) {
            reports_set(reports, r->columns[column], value);
        }
        is_more = line.size > 0;
        line = piece_after(line, is_more);
    }
    return 1;
}

static void release(struct reports *reports)
{
    text_release(&((struct reports_csv *)reports)->quoted);
}

/* Whether the line has this heading. */
static bool has_heading(struct piece line, const char *name)
{
    for (;;) {
        const size_t size = piece_until(line, ',');
        if (piece_is(piece_trimmed((struct piece){line.at, size}), name)) {
            return true;
        }
        if (size == line.size) {
            return false;
        }
        line = piece_after(line, size + 1);
    }
}

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    static const struct reports_form form = {
        .source = "reports", .read = read_line, .release = release};
    struct piece line;
    if (reports_first_line(in, &line, e) < 0) {
        in_close(in);
        return NULL;
    }
    t->tick_ns = has_heading(line, "pt_ns")   ? 1
                 : has_heading(line, "pt_us") ? 1000
                 : has_heading(line, "pt_ms") ? 1000000
                                              : 0;
    return reports_new(sizeof(struct reports_csv), &form, in, t, n);
}

static int sniff(const char *bytes, size_t size)
{
    struct piece line = {bytes, size};
    line = piece_begins(line, "\xef\xbb\xbf") ? piece_after(line, 3) : line;
    line.size = piece_until(line, '\n');
    return has_heading(line, "process") && piece_until(line, ',') < line.size ? 90 : 0;
}

const struct format format_reports_csv = {
    .name = "csv",
    .ending = ".csv",
    .meaning = "values and messages that processes report, one per row",
    .sniff = sniff,
    .open = open_reader,
};
