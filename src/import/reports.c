#include "import/reports.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/quoted_text.h"
#include "wire/kind.h"
#include "wire/must.h"

static const struct {
    const char *word;
    uint16_t kind;
} words[] = {
    {"set", EVENT_VARIABLE}, {"unset", EVENT_VARIABLE_DELETE}, {"send", EVENT_SEND},
    {"recv", EVENT_RECV},    {"hello", EVENT_PROCESS_START},   {"alive", EVENT_LOG},
};

enum report_field report_field_of(struct piece name)
{
    static const char *const names[] = {
#define FIELD(id, name) [REPORT_##id] = (name),
        REPORT_FIELD_LIST(FIELD)
#undef FIELD
    };
    unsigned field = 0;
    while (field < REPORT_FIELD_COUNT && !piece_is(name, names[field])) {
        field++;
    }
    return (enum report_field)field;
}

void reports_set(struct reports *r, enum report_field field, struct piece text)
{
    must(field < REPORT_FIELD_COUNT);
    text_set(&r->fields[field], text);
    r->given |= 1U << field;
}

int reports_fail(const struct reports *r, const char *what, struct err *e)
{
    return err_set(e, "byte %" PRIu64 ": line %" PRIu64 " %s", r->lines.offset, r->lines.number,
                   what);
}

static void note(struct reports *r, const char *text)
{
    char place[160];
    (void)snprintf(place, sizeof place, "%s: line %" PRIu64, r->cursor.path, r->lines.number);
    notes_add(r->cursor.notes, place, "%s", text);
}

/* ---- fields ---- */

static bool is_given(const struct reports *r, enum report_field field)
{
    return (r->given >> field & 1) != 0;
}

static struct piece field_of(const struct reports *r, enum report_field field)
{
    return is_given(r, field) ? text_piece(&r->fields[field]) : (struct piece){0};
}

/* The whole number of the text; false when it is none, or too large. */
static bool whole_number(struct piece text, int64_t *number)
{
    const bool is_negative = piece_begins(text, "-");
    const struct piece digits = piece_after(text, is_negative);
    uint64_t sum = 0;
    for (size_t i = 0; i < digits.size; i++) {
        const unsigned digit = (unsigned)(unsigned char)digits.at[i] - '0';
        if (digit > 9 || sum > ((uint64_t)INT64_MAX - digit) / 10) {
            return false;
        }
        sum = 10 * sum + digit;
    }
    *number = is_negative ? -(int64_t)sum : (int64_t)sum;
    return digits.size > 0;
}

/* A field that is present and a number; noted when it is none. */
static bool number_of(struct reports *r, enum report_field field, const char *otherwise,
                      int64_t *number)
{
    if (!is_given(r, field)) {
        return false;
    }
    if (!whole_number(field_of(r, field), number)) {
        note(r, otherwise);
        return false;
    }
    return true;
}

/* Times have one unit in all of an input: that of the first. */
static int read_time(struct reports *r, struct event *event, struct err *e)
{
    static const struct {
        enum report_field field;
        uint64_t tick_ns;
    } units[] = {{REPORT_PT, 0}, {REPORT_PT_NS, 1}, {REPORT_PT_US, 1000}, {REPORT_PT_MS, 1000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!is_given(r, units[i].field)) {
            continue;
        }
        if (r->cursor.tables->tick_ns != units[i].tick_ns || (event->has & HAS_TIME) != 0) {
            return reports_fail(r, "has its time in another unit than the first", e);
        }
        if (number_of(r, units[i].field, "a time that is no whole number: left out",
                      &event->time)) {
            event->has |= HAS_TIME;
        }
    }
    return 0;
}

static void read_clock(struct reports *r, struct event *event)
{
    int64_t time = 0;
    int64_t count = 0;
    if (number_of(r, REPORT_L, "a hybrid time that is no whole number: left out", &time)) {
        const bool is_good =
            !is_given(r, REPORT_C) ||
            (whole_number(field_of(r, REPORT_C), &count) && count >= 0 && count <= UINT32_MAX);
        if (!is_good) {
            note(r, "a counter of a hybrid clock that is no such number: left out");
            return;
        }
        event->has |= HAS_HLC;
        event->hlc_time = time;
        event->hlc_count = (uint32_t)count;
    }
}

static void read_number(struct reports *r, struct event *event)
{
    int64_t number = 0;
    if (number_of(r, REPORT_SEQ, "a sequence number that is no whole number: left out", &number)) {
        event->has |= HAS_COUNT;
        event->count = (uint32_t)((uint64_t)number & UINT32_MAX);
    }
}

static uint32_t name_of(struct reports *r, enum report_field field)
{
    const struct piece text = field_of(r, field);
    return memo_name(&r->names, &r->cursor.tables->names, text.size == 0 ? "" : text.at, text.size);
}

static void read_value(struct reports *r, struct event *event)
{
    const struct piece text = field_of(r, REPORT_VALUE);
    if (piece_is(text, "true") || piece_is(text, "false")) {
        event->value = piece_is(text, "true");
        event->has |= HAS_VALUE;
    } else if (whole_number(text, &event->value)) {
        event->has |= HAS_VALUE;
    } else {
        event->value = 0;
        event->text = name_of(r, REPORT_VALUE);
        note(r, "a value that is no whole number");
    }
}

/* ---- lines ---- */

static int read_event(struct reports *r, struct event *event, struct err *e)
{
    const struct piece word = field_of(r, REPORT_EVENT);
    size_t row = 0;
    while (word.size > 0 && row < sizeof words / sizeof *words &&
           !piece_is(word, words[row].word)) {
        row++;
    }
    if (row == sizeof words / sizeof *words) {
        return err_set(e,
                       "byte %" PRIu64 ": line %" PRIu64
                       " has the event %s: known are set, unset, send, recv, hello and alive",
                       r->lines.offset, r->lines.number, shown(word.at, word.size).text);
    }
    if (field_of(r, REPORT_PROCESS).size == 0) {
        return reports_fail(r, "does not say whose report it is (\"process\")", e);
    }
    must(row < sizeof words / sizeof *words);
    *event = (struct event){
        .kind = words[row].kind,
        .task = tables_task(r->cursor.tables, name_of(r, REPORT_PROCESS), r->task_name)};
    const bool is_message = event->kind == EVENT_SEND || event->kind == EVENT_RECV;
    const bool is_variable = event->kind == EVENT_VARIABLE || event->kind == EVENT_VARIABLE_DELETE;
    if ((is_message || is_variable) && field_of(r, REPORT_NAME).size == 0) {
        return reports_fail(r,
                            is_message ? "does not name its message (\"name\")"
                                       : "does not name its variable (\"name\")",
                            e);
    }
    if (is_message) {
        event->message = name_of(r, REPORT_NAME);
        event->mode = TRANSPORT_UDP;
    } else if (is_variable) {
        event->object = name_of(r, REPORT_NAME);
    }
    if (event->kind == EVENT_VARIABLE) {
        read_value(r, event);
    }
    read_number(r, event);
    read_clock(r, event);
    return read_time(r, event, e);
}

/* Whether another line is available without waiting. */
static bool has_line(const struct reports *r)
{
    const struct in *in = &r->cursor.in;
    const size_t taken = r->lines.taken;
    return in->is_end || memchr(in->at + taken, '\n', in->available - taken) != NULL;
}

/* Reads a line, as event number `count` of the batch when it is one: 1, else 0; -1. */
static int read_line(struct reports *r, size_t count, struct err *e)
{
    struct piece line = {r->lines.text, r->lines.size};
    line = piece_trimmed(line);
    if (r->lines.offset == 0 && piece_begins(line, "\xef\xbb\xbf")) {
        line = piece_after(line, 3);
    }
    r->given = 0;
    const int is_report = line.size == 0 ? 0 : r->form->read(r, line, e);
    if (is_report <= 0) {
        return is_report;
    }
    if (read_event(r, &r->events[count], e) < 0) {
        return -1;
    }
    r->offsets[count] = r->lines.offset;
    if (r->lines.lacks_end) {
        cursor_note_unended(&r->cursor, r->lines.offset);
    }
    return 1;
}

static void note_left_out(struct reports *r)
{
    char place[sizeof((struct note *)NULL)->place];
    (void)snprintf(place, sizeof place, "%s: line %" PRIu64, r->cursor.path, r->lines.number);
    notes_add(r->cursor.notes, place, "the last line has no end, and is no report: left out");
}

static int next_batch(struct cursor *c, struct batch *b, struct err *e)
{
    struct reports *r = (struct reports *)c;
    size_t count = 0;
    int more = 1;
    r->lines.in = &c->in;
    while (count < BATCH_MAX && (count == 0 || has_line(r)) &&
           (more = lines_next(&r->lines, e)) > 0) {
        const int is_event = read_line(r, count, e);
        if (is_event < 0 && (!r->lines.lacks_end || r->event_total + count == 0)) {
            return -1;
        }
        if (is_event < 0) { /* its writer was stopped: earlier events still count */
            note_left_out(r);
        }
        count += is_event > 0;
    }
    must(count <= BATCH_MAX);
    r->event_total += count;
    if (more < 0) {
        return -1;
    }
    if (r->event_total == 0) {
        return err_set(e, "byte %" PRIu64 ": the input ends without a report in it", c->in.offset);
    }
    *b = (struct batch){.events = r->events, .offsets = r->offsets, .count = count};
    return count > 0;
}

/* The name of tasks stays with them. */
static bool forget(struct cursor *c)
{
    struct reports *r = (struct reports *)c;
    r->names = (struct memo){0};
    return c->tables->tasks.count > 0;
}

static void close_reader(struct cursor *c)
{
    struct reports *r = (struct reports *)c;
    if (r->form->release != NULL) {
        r->form->release(r);
    }
    for (size_t i = 0; i < REPORT_FIELD_COUNT; i++) {
        text_release(&r->fields[i]);
    }
}

int reports_first_line(struct in *in, struct piece *line, struct err *e)
{
    enum { FIRST_LINE_MAX = 1 << 16 };
    size_t size = 0;
    do {
        const ssize_t available = in_fill(in, size + 1, e);
        if (available < 0) {
            return -1;
        }
        if (in->is_end || memchr(in->at + size, '\n', (size_t)available - size) != NULL) {
            break;
        }
        size = (size_t)available;
    } while (size < FIRST_LINE_MAX);
    *line = (struct piece){in->at, in->available};
    *line = piece_begins(*line, "\xef\xbb\xbf") ? piece_after(*line, 3) : *line;
    must(line->size <= in->available);
    line->size = piece_until(*line, '\n');
    return 0;
}

struct cursor *reports_new(size_t size, const struct reports_form *form, struct in *in,
                           struct tables *t, struct notes *n)
{
    static const struct cursor_ops ops = {
        .next = next_batch, .close = close_reader, .forget = forget};
    must(size >= sizeof(struct reports));
    struct reports *r = mem_zero(1, size);
    r->cursor = (struct cursor){.ops = &ops, .tables = t, .notes = n, .in = *in};
    r->form = form;
    r->task_name = names_intern_text(&t->names, "main");
    t->order = ORDER_NODE;
    t->source = names_intern_text(&t->names, form->source);
    return &r->cursor;
}
