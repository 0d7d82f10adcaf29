#include "import/rapid_std.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/quoted_text.h"
#include "base/utf8.h"
#include "import/import.h"
#include "import/text_memo.h"
#include "trace/kind_table.h"
#include "wire/must.h"

enum { CHUNK_SIZE = 1 << 16, LINE_SIZE_MAX = 1 << 20 };

/* An operation by name. Those without a kind are for other analyses. */
struct operation {
    const char *name;
    size_t name_size;
    uint16_t kind; /* 0: skipped */
};

static const struct operation operations[] = {
#define OPERATION(name, kind) {name, sizeof(name) - 1, EVENT_##kind},
    STD_OPERATION_LIST(OPERATION)
#undef OPERATION
        {"branch", 6, 0},
    {"req", 3, 0},
    {"enter", 5, 0},
    {"exit", 4, 0},
    {"dummy", 5, 0},
};

struct std {
    struct cursor cursor;
    uint64_t event_total;
    uint64_t skipped_count;
    uint64_t skipped_offset; /* of the first */
    bool is_wide;            /* the chunk has bytes beyond ASCII */
    struct memo tasks, objects, locations;
    struct event events[BATCH_MAX];
    uint64_t offsets[BATCH_MAX];
};

/* A line's fields, pointing into it. */
struct piece {
    const char *text;
    size_t size;
};

struct line {
    struct piece thread, operand, location;
    const struct operation *operation;
};

static const struct operation *operation_of(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (operations[i].name_size == size && memcmp(operations[i].name, name, size) == 0) {
            return &operations[i];
        }
    }
    return NULL;
}

/* The first `wanted` in [from, end), or end. Fields are short: a loop beats a call. */
static const char *find(const char *from, const char *end, char wanted)
{
    while (from < end && *from != wanted) {
        from++;
    }
    return from;
}

/* Splits a line without its line end; returns an error text, or NULL. */
static const char *split(struct line *line, const char *text, const char *end)
{
    const char *bar = find(text, end, '|');
    if (bar == end || bar == text) {
        return "is not of the form thread|operation(operand)|location";
    }
    line->thread = (struct piece){text, (size_t)(bar - text)};
    const char *name = bar + 1;
    const char *name_end = name;
    while (name_end < end && *name_end != '(' && *name_end != '|') {
        name_end++;
    }
    line->operation = operation_of(name, (size_t)(name_end - name));
    if (line->operation == NULL) {
        return "has no operation of RAPID STD";
    }
    const char *operand_end = find(name_end, end, '|');
    if (operand_end == end) {
        return "is not of the form thread|operation(operand)|location";
    }
    line->operand = (struct piece){name_end, 0};
    if (name_end < operand_end) {
        if (operand_end[-1] != ')') {
            return "lacks the ) behind its operand";
        }
        line->operand.text++;
        line->operand.size = (size_t)(operand_end - 1 - line->operand.text);
    }
    line->location = (struct piece){operand_end + 1, (size_t)(end - operand_end - 1)};
    return NULL;
}

static bool is_proper(const struct std *s, struct piece p)
{
    return !s->is_wide || utf8_valid_size(p.text, p.size) == p.size;
}

static uint32_t task_of(struct std *s, struct piece p)
{
    return memo_task(&s->tasks, s->cursor.tables, p.text, p.size);
}

static bool is_none(struct piece location)
{
    return location.size == 0 || (location.size == 1 && location.text[0] == '0');
}

/* Fills in the event of a line; returns an error text, or NULL. */
static const char *read_event(struct std *s, const struct line *line, struct event *event)
{
    const uint16_t kind = line->operation->kind;
    struct names *names = &s->cursor.tables->names;
    if (!is_proper(s, line->thread) || !is_proper(s, line->operand) ||
        !is_proper(s, line->location)) {
        return "is not UTF-8";
    }
    *event = (struct event){.kind = kind, .task = task_of(s, line->thread)};
    if (line->operand.size == 0) {
        if (kind != EVENT_ATOMIC_BEGIN && kind != EVENT_ATOMIC_END) {
            return "lacks its operand";
        }
    } else if (kind == EVENT_THREAD_CREATE || kind == EVENT_THREAD_JOIN) {
        event->has = HAS_PEER;
        event->peer = task_of(s, line->operand);
    } else {
        event->object = memo_name(&s->objects, names, line->operand.text, line->operand.size);
    }
    if (!is_none(line->location)) {
        event->location = memo_name(&s->locations, names, line->location.text, line->location.size);
    }
    return NULL;
}

static int fail_line(const struct std *s, const char *text, size_t size, const char *what,
                     struct err *e)
{
    const struct in *in = &s->cursor.in;
    must(text >= in->at);
    const uint64_t offset = in->offset + (uint64_t)(text - in->at);
    if (size > 0 && (text[0] == '{' || text[0] == '[')) {
        return err_set(
            e, "byte %" PRIu64 ": the RAPID STD trace goes on in JSON; formats cannot be mixed",
            offset);
    }
    return err_set(e, "byte %" PRIu64 ": the line %s %s", offset, shown(text, size).text, what);
}

/* The number of bytes of whole lines: those in a chunk, or one longer line; at the end of the input
 * the rest. Returns -1 on failure. */
static ssize_t whole_lines(struct in *in, struct err *e)
{
    if (in_fill(in, 1, e) < 0) {
        return -1;
    }
    size_t seen = in->available < CHUNK_SIZE ? in->available : CHUNK_SIZE;
    const char *end = seen == 0 ? NULL : memrchr(in->at, '\n', seen);
    while (end == NULL) {
        if (seen == in->available) {
            if (in->is_end) {
                return (ssize_t)seen;
            }
            if (in_fill(in, seen + 1, e) < 0) {
                return -1;
            }
        }
        end = memchr(in->at + seen, '\n', in->available - seen);
        seen = end == NULL ? in->available : (size_t)(end - in->at);
        if (seen > LINE_SIZE_MAX) {
            return err_set(e, "byte %" PRIu64 ": a line of more than %d bytes", in->offset,
                           LINE_SIZE_MAX);
        }
    }
    must((size_t)(end - in->at) < in->available);
    return end + 1 - in->at;
}

/* Reads the line at `text`, which ends before `end`, as event number `count` of the batch. Returns
 * the number of events: 1, or 0 for a blank or skipped line; -1. */
static int read_line(struct std *s, const char *text, const char *end, size_t count, struct err *e)
{
    if (end > text && end[-1] == '\r') {
        end--;
    }
    if (end == text) {
        return 0;
    }
    struct line line;
    const uint64_t offset = s->cursor.in.offset + (uint64_t)(text - s->cursor.in.at);
    const char *wrong = split(&line, text, end);
    if (wrong == NULL && line.operation->kind == 0) {
        if (s->skipped_count++ == 0) {
            s->skipped_offset = offset;
        }
        return 0;
    }
    if (wrong == NULL) {
        wrong = read_event(s, &line, &s->events[count]);
    }
    if (wrong != NULL) {
        return fail_line(s, text, (size_t)(end - text), wrong, e);
    }
    must(count < BATCH_MAX);
    s->offsets[count] = offset;
    return 1;
}

/* Reads lines from the window's first `size` bytes until they or the batch end. */
static int read_lines(struct std *s, size_t size, struct err *e)
{
    struct in *in = &s->cursor.in;
    const char *at = in->at;
    const char *end = in->at + size;
    size_t count = 0;
    s->is_wide = !utf8_is_ascii(at, size);
    while (at < end && count < BATCH_MAX) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end == NULL ? end : line_end;
        const int result = read_line(s, at, line_end, count, e);
        if (result < 0) {
            return -1;
        }
        if (line_end == end && result > 0) {
            cursor_note_unended(&s->cursor, s->offsets[count]);
        }
        count += (size_t)result;
        at = line_end < end ? line_end + 1 : end;
    }
    must(at <= end);
    must(count <= BATCH_MAX);
    in_skip(in, (size_t)(at - in->at));
    return (int)count;
}

static int finish(struct std *s, struct err *e)
{
    struct cursor *c = &s->cursor;
    if (s->event_total == 0) {
        return err_set(e, "byte %" PRIu64 ": the input ends without an event in it", c->in.offset);
    }
    char where[160];
    (void)snprintf(where, sizeof where, "%s: byte %" PRIu64, c->path, s->skipped_offset);
    notes_add_many(c->notes, s->skipped_count, where,
                   "operations for other analyses (branch, req, enter, exit, dummy): skipped");
    s->skipped_count = 0;
    return 0;
}

static int next_batch(struct cursor *c, struct batch *b, struct err *e)
{
    struct std *s = (struct std *)c;
    for (;;) {
        const ssize_t size = whole_lines(&c->in, e);
        if (size < 0) {
            return -1;
        }
        if (size == 0) {
            return finish(s, e);
        }
        const int count = read_lines(s, (size_t)size, e);
        if (count < 0) {
            return -1;
        }
        if (count > 0) {
            s->event_total += (uint64_t)count;
            *b = (struct batch){.events = s->events, .offsets = s->offsets, .count = (size_t)count};
            return 1;
        }
    }
}

static void close_reader(struct cursor *c)
{
    (void)c; /* all of it is in the cursor itself */
}

static const struct cursor_ops std_ops = {.next = next_batch, .close = close_reader};

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    (void)e;
    struct std *s = mem_zero(1, sizeof *s);
    s->cursor = (struct cursor){.ops = &std_ops, .tables = t, .notes = n, .in = *in};
    t->order = ORDER_EXACT;
    t->source = names_intern_text(&t->names, "std");
    return &s->cursor;
}

bool std_is_event(const char *line, size_t size)
{
    const char *end = line + size;
    const char *bar = find(line, end, '|');
    if (bar == line || bar == end) {
        return false;
    }
    const char *name_end = bar + 1;
    while (name_end < end && *name_end >= 'a' && *name_end <= 'z') {
        name_end++;
    }
    return name_end < end && (*name_end == '(' || *name_end == '|') &&
           operation_of(bar + 1, (size_t)(name_end - bar - 1)) != NULL;
}

/* The first line that is not blank decides. */
static int sniff(const char *bytes, size_t size)
{
    size_t start = 0;
    while (start < size && (bytes[start] == '\n' || bytes[start] == '\r')) {
        start++;
    }
    return std_is_event(bytes + start, size - start) ? 80 : 0;
}

const struct format format_std = {
    .name = "std",
    .ending = ".std",
    .meaning = "RAPID's standard format, one event per line",
    .sniff = sniff,
    .open = open_reader,
    .create = std_writer_new,
};
