#include "proc/cluster/client_history.h"

#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/quoted_text.h"

enum { LINE_MAX_HISTORY = 1 << 16, OPERATIONS_MAX = 100000 };

static const char *const fields[] = {"process", "type", "f", "key", "value"};
enum field { FIELD_PROCESS, FIELD_TYPE, FIELD_F, FIELD_KEY, FIELD_VALUE, FIELD_COUNT };
enum { VALUES_MAX = 2 };

void client_history_init(struct client_history *h)
{
    *h = (struct client_history){0};
    names_init(&h->names);
}

void client_history_release(struct client_history *h)
{
    names_release(&h->names);
    vec_release(&h->operations);
}

/* Reading */

struct line_reader {
    struct client_history *history;
    uint32_t field;       /* the current key; FIELD_COUNT: another, which is passed over */
    uint32_t depth;       /* of maps and arrays */
    uint32_t value_count; /* in the array of a cas */
    uint32_t found[FIELD_COUNT + 1];
    uint32_t second; /* the other value of the array */
    bool is_array;
    uint32_t line;
};

static int on_text(void *context, const unsigned char *text, size_t size)
{
    struct line_reader *r = context;
    const uint32_t name = names_intern(&r->history->names, (const char *)text, size);
    if (r->depth == 1) {
        r->found[r->field] = name;
    } else if (r->depth == 2 && r->field == FIELD_VALUE && r->value_count < VALUES_MAX) {
        *(r->value_count++ == 0 ? &r->found[FIELD_VALUE] : &r->second) = name;
    }
    return r->depth > 0;
}

static int on_number(void *context, const char *text, size_t size)
{
    return on_text(context, (const unsigned char *)text, size);
}

static int on_boolean(void *context, int value)
{
    const char *text = value != 0 ? "true" : "false";
    return on_text(context, (const unsigned char *)text, strlen(text));
}

static int on_null(void *context)
{
    return on_text(context, (const unsigned char *)"", 0);
}

static int on_begin(void *context)
{
    struct line_reader *r = context;
    r->depth++;
    return 1;
}

static int on_array(void *context)
{
    struct line_reader *r = context;
    r->is_array = r->is_array || (r->depth == 1 && r->field == FIELD_VALUE);
    return on_begin(context) && r->depth > 1;
}

static int on_end(void *context)
{
    struct line_reader *r = context;
    r->depth--;
    return 1;
}

static int on_key(void *context, const unsigned char *text, size_t size)
{
    struct line_reader *r = context;
    for (r->field = 0; r->depth == 1 && r->field < FIELD_COUNT; r->field++) {
        if (strlen(fields[r->field]) == size && memcmp(fields[r->field], text, size) == 0) {
            return 1;
        }
    }
    r->field = FIELD_COUNT;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_string = on_text,
                                         .yajl_number = on_number,
                                         .yajl_boolean = on_boolean,
                                         .yajl_null = on_null,
                                         .yajl_start_map = on_begin,
                                         .yajl_end_map = on_end,
                                         .yajl_map_key = on_key,
                                         .yajl_start_array = on_array,
                                         .yajl_end_array = on_end};

/* Which of the words the field is; their number where it is none. */
static uint32_t word_of(const struct line_reader *r, enum field field, const char *const *words,
                        uint32_t count)
{
    const char *text = names_text(&r->history->names, r->found[field]);
    uint32_t at = 0;
    while (at < count && strcmp(words[at], text) != 0) {
        at++;
    }
    return at;
}

/* The operation of the process that has not ended; NULL: there is none. */
static struct client_history_operation *find_open(struct client_history *h, uint32_t process)
{
    for (size_t i = h->operations.count; i-- > 0;) {
        if (h->operations.at[i].process == process) {
            return h->operations.at[i].end == 0 ? &h->operations.at[i] : NULL;
        }
    }
    return NULL;
}

static int add_begin(struct line_reader *r, enum client_history_action action, struct err *e)
{
    struct client_history *h = r->history;
    if (find_open(h, r->found[FIELD_PROCESS]) != NULL) {
        return err_set(e, "line %u: the process has an operation that has not ended", r->line);
    }
    if (h->operations.count == OPERATIONS_MAX) {
        return err_set(e, "line %u: more than %d operations", r->line, OPERATIONS_MAX);
    }
    if ((action == HISTORY_CAS) != (r->is_array && r->value_count == VALUES_MAX)) {
        return err_set(e, "line %u: a cas has [old, new] as its value, and nothing else has",
                       r->line);
    }
    vec_push(&h->operations, (struct client_history_operation){
                                 .action = action,
                                 .process = r->found[FIELD_PROCESS],
                                 .key = r->found[FIELD_KEY],
                                 .value = action == HISTORY_CAS ? r->second : r->found[FIELD_VALUE],
                                 .expected = action == HISTORY_CAS ? r->found[FIELD_VALUE] : 0,
                                 .line = r->line,
                                 .begin = r->line});
    return 0;
}

/* Adds what the line says to the history. */
static int add_line(struct line_reader *r, struct err *e)
{
    static const char *const types[] = {"invoke", "ok", "fail", "info"};
    static const char *const actions[] = {"read", "write", "cas"};
    enum { INVOKE, OK, FAIL, INFO, TYPE_COUNT, ACTION_COUNT = 3 };
    const uint32_t type = word_of(r, FIELD_TYPE, types, TYPE_COUNT);
    const uint32_t action = word_of(r, FIELD_F, actions, ACTION_COUNT);
    if (type == TYPE_COUNT || action == ACTION_COUNT || r->found[FIELD_PROCESS] == 0) {
        return err_set(e,
                       "line %u: an operation has process, type (invoke, ok, fail or info), f "
                       "(read, write or cas), key and value",
                       r->line);
    }
    if (type == INVOKE) {
        return add_begin(r, (enum client_history_action)action, e);
    }
    struct client_history_operation *open = find_open(r->history, r->found[FIELD_PROCESS]);
    if (open == NULL || open->action != (enum client_history_action)action ||
        open->key != r->found[FIELD_KEY]) {
        return err_set(e, "line %u: the process has begun no such operation", r->line);
    }
    open->end = type == OK ? r->line : type == FAIL ? open->begin : UINT64_MAX;
    if (type == OK && action == HISTORY_READ) {
        open->value = r->found[FIELD_VALUE];
    }
    return 0;
}

static int read_line(struct client_history *h, const char *text, size_t size, uint32_t line,
                     struct err *e)
{
    struct line_reader r = {.history = h, .line = line};
    yajl_handle parser = json_reader_new(&callbacks, &r);
    const bool is_json = json_reader_feed(parser, text, size) == 0 &&
                         yajl_complete_parse(parser) == yajl_status_ok && r.depth == 0;
    yajl_free(parser);
    return is_json ? add_line(&r, e) : err_set(e, "line %u: no JSON object", line);
}

/* Operations that had no effect say nothing, nor do reads that nobody got. */
static void drop_void(struct client_history *h)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->operations.count; i++) {
        struct client_history_operation o = h->operations.at[i];
        const bool is_failed = o.end == o.begin;
        o.end = o.end == 0 ? UINT64_MAX : o.end;
        if (!is_failed && (o.action != HISTORY_READ || o.end != UINT64_MAX)) {
            h->operations.at[kept++] = o;
        }
    }
    h->operations.count = kept;
}

int client_history_read(struct client_history *h, struct in *in, struct err *e)
{
    ssize_t available = 0;
    for (uint32_t line = 1; (available = in_fill(in, LINE_MAX_HISTORY, e)) > 0; line++) {
        const char *end = memchr(in->at, '\n', (size_t)available);
        const size_t size = end == NULL ? (size_t)available : (size_t)(end - in->at);
        if (end == NULL && available >= LINE_MAX_HISTORY) {
            return err_set(e, "line %u: longer than %d bytes", line, LINE_MAX_HISTORY);
        }
        if (size > 0 && read_line(h, in->at, size, line, e) < 0) {
            return -1;
        }
        in_skip(in, size + (end != NULL));
    }
    drop_void(h);
    return available < 0 ? -1 : 0;
}

/* Jepsen */

static void print_edn_value(const struct client_history *h, uint32_t name, struct out *out)
{
    const char *text = names_text(&h->names, name);
    const size_t size = strlen(text);
    const bool is_number =
        size > 0 && strspn(text + (text[0] == '-'), "0123456789") == size - (text[0] == '-') &&
        size > (size_t)(text[0] == '-');
    if (name == 0) {
        out_text(out, "nil");
    } else if (is_number) {
        out_text(out, text);
    } else {
        out_char(out, '"');
        for (; *text != '\0'; text++) {
            if (*text == '"' || *text == '\\') {
                out_char(out, '\\');
            }
            out_char(out, *text);
        }
        out_char(out, '"');
    }
}

static void print_edn(const struct client_history *h, const struct client_history_operation *o,
                      const char *type, struct out *out)
{
    static const char *const actions[] = {"read", "write", "cas"};
    const bool has_value = o->action != HISTORY_READ || strcmp(type, "ok") == 0;
    out_text(out, "{:process ");
    print_edn_value(h, o->process, out);
    out_format(out, ", :type :%s, :f :%s, :value [", type, actions[o->action]);
    print_edn_value(h, o->key, out);
    out_char(out, ' ');
    if (o->action == HISTORY_CAS) {
        out_char(out, '[');
        print_edn_value(h, o->expected, out);
        out_char(out, ' ');
    }
    print_edn_value(h, has_value ? o->value : 0, out);
    out_text(out, o->action == HISTORY_CAS ? "]]}\n" : "]}\n");
}

/* In the order of time: each line of the file began or ended at most one operation. */
void client_history_print_edn(const struct client_history *h, struct out *out)
{
    size_t next = 0;
    uint64_t time = 0;
    bool is_more = true;
    while (is_more) {
        const struct client_history_operation *ended = NULL;
        uint64_t soonest = next < h->operations.count ? h->operations.at[next].begin : UINT64_MAX;
        vec_each (&h->operations, o) {
            if (o->end > time && o->end < soonest && o->end != UINT64_MAX) {
                soonest = o->end;
                ended = o;
            }
        }
        is_more = soonest != UINT64_MAX;
        if (ended != NULL) {
            print_edn(h, ended, "ok", out);
        } else if (is_more) {
            print_edn(h, &h->operations.at[next++], "invoke", out);
        }
        time = soonest;
    }
    vec_each (&h->operations, o) {
        if (o->end == UINT64_MAX) {
            print_edn(h, o, "info", out);
        }
    }
}
