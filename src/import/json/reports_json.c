#include <inttypes.h>

#include "base/json_reader.h"
#include "import/import.h"
#include "import/json/json_tree.h"
#include "import/reports.h"

/* A line is an object whose fields are strings, numbers or truths. Deeper values are ignored. */
struct reports_json {
    struct reports reports;
    yajl_handle parser;
    unsigned depth;
    enum report_field field; /* of the next value */
};

enum { DEPTH_MAX = 64 };

static int set_field(struct reports_json *r, const char *text, size_t size)
{
    if (r->depth == 1 && r->field < REPORT_FIELD_COUNT) {
        reports_set(&r->reports, r->field, (struct piece){text, size});
    }
    return r->depth > 0;
}

static int on_null(void *context)
{
    const struct reports_json *r = context;
    return r->depth > 0;
}

static int on_boolean(void *context, int is_true)
{
    return set_field(context, is_true ? "true" : "false", is_true ? 4 : 5);
}

static int on_number(void *context, const char *text, size_t size)
{
    return set_field(context, text, size);
}

static int on_string(void *context, const unsigned char *text, size_t size)
{
    return set_field(context, (const char *)text, size);
}

static int on_open(void *context)
{
    struct reports_json *r = context;
    return ++r->depth <= DEPTH_MAX;
}

static int on_open_array(void *context)
{
    struct reports_json *r = context;
    return r->depth > 0 && on_open(context);
}

static int on_close(void *context)
{
    struct reports_json *r = context;
    r->depth--;
    return 1;
}

static int on_key(void *context, const unsigned char *text, size_t size)
{
    struct reports_json *r = context;
    if (r->depth == 1) {
        r->field = report_field_of((struct piece){(const char *)text, size});
    }
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_open,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close,
    .yajl_start_array = on_open_array,
    .yajl_end_array = on_close,
};

static int fail(struct reports_json *r, struct err *e)
{
    const uint64_t offset = r->reports.lines.offset;
    const size_t consumed = yajl_get_bytes_consumed(r->parser);
    const size_t size = r->reports.lines.size;
    return err_set(e, "byte %" PRIu64 ": line %" PRIu64 " is not a JSON object",
                   offset + (consumed < size ? consumed : size), r->reports.lines.number);
}

static int read_line(struct reports *reports, struct piece line, struct err *e)
{
    struct reports_json *r = (struct reports_json *)reports;
    if (r->parser == NULL) {
        r->parser = json_reader_new(&callbacks, r);
        must(yajl_config(r->parser, yajl_allow_multiple_values, 1) != 0);
    }
    r->depth = 0;
    const bool is_read = json_reader_feed(r->parser, line.at, line.size) == 0;
    return is_read && r->depth == 0 && line.at[line.size - 1] == '}' ? 1 : fail(r, e);
}

static void release(struct reports *reports)
{
    struct reports_json *r = (struct reports_json *)reports;
    if (r->parser != NULL) {
        yajl_free(r->parser);
    }
}

static bool holds(struct piece text, const char *wanted)
{
    return memmem(text.at, text.size, wanted, strlen(wanted)) != NULL;
}

/* The unit of times, from the first line. */
static uint64_t tick_of(struct piece line)
{
    return holds(line, "\"pt_ns\"")   ? 1
           : holds(line, "\"pt_us\"") ? 1000
           : holds(line, "\"pt_ms\"") ? 1000000
                                      : 0;
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
    t->tick_ns = line.size == 0 ? 0 : tick_of(line);
    return reports_new(sizeof(struct reports_json), &form, in, t, n);
}

static int sniff(const char *bytes, size_t size)
{
    const struct piece text = {bytes, size};
    const struct piece line = {bytes, piece_until(text, '\n')};
    return json_begins_with(text, "process")                           ? 95
           : size > 0 && bytes[0] == '{' && holds(line, "\"process\"") ? 60
                                                                       : 0;
}

const struct format format_reports_json = {
    .name = "jsonl",
    .ending = ".jsonl",
    .meaning = "values and messages that processes report, one JSON object per line",
    .sniff = sniff,
    .open = open_reader,
};
