#include "import/json/falcon.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "import/import.h"
#include "import/json/falcon_object.h"
#include "import/rapid_std.h"
#include "wire/must.h"

/* The reader feeds yajl chunks of whole lines; yajl calls back for each token and keeps its state
 * from chunk to chunk. Outside objects and arrays this file scans the bytes itself: blanks, lines
 * that are no events, the beginnings of objects and arrays. When yajl meets something else behind
 * an object it stops; this file returns to the end of that object, and a fresh yajl starts behind
 * the line.
 *
 * yajl scans a token again from its beginning when it is split between chunks; a line end never
 * splits one. Input without line ends is split anywhere. The cost of a token, a line or an object
 * is limited: one that exceeds the limit is rejected after at most one further chunk. */
enum {
    CHUNK_SIZE = 1 << 16,
    EVENT_SIZE_MIN = sizeof "{\"type\":6,\"thread\":1}" - 1,
    CHUNK_EVENTS_MAX = CHUNK_SIZE / EVENT_SIZE_MIN + 1,
    TOKEN_SIZE_MAX = 1 << 20,
    LINE_SIZE_MAX = 1 << 20, /* of a line without an event */
    OBJECT_SIZE_MAX = 1 << 24,
    DEPTH_MAX = 1024,
};
_Static_assert((int)CHUNK_EVENTS_MAX <= (int)BATCH_MAX, "the events of a chunk fit into a batch");

struct falcon {
    struct cursor cursor;
    yajl_handle parser; /* NULL: a fresh one is needed */
    struct falcon_object object;

    unsigned depth;          /* of nesting, from 1 inside an event */
    enum falcon_field field; /* the field of the next value, at depth 1 */
    bool is_in_array;        /* of events */
    bool is_array_awaited;   /* the next '[' opens it */
    bool is_wide;            /* the chunk has bytes beyond ASCII */
    const char *chunk;
    size_t chunk_size;
    size_t whole_size;    /* the size of the chunk up to the end of its last object */
    uint64_t quiet_size;  /* bytes of earlier chunks since the last token */
    unsigned token_count; /* of this chunk */
    bool is_failed;       /* `failure` is the reason why yajl was stopped */
    struct err failure;

    uint64_t event_total;
    struct tally stray;          /* lines that are no events */
    struct tally stray_elements; /* of arrays */
    size_t count;                /* of this batch */
    struct event events[BATCH_MAX];
    uint64_t offsets[BATCH_MAX];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_outside(const struct falcon *f)
{
    return f->depth == 0 && !f->is_in_array;
}

static uint64_t place(const struct falcon *f)
{
    return f->cursor.in.offset + yajl_get_bytes_consumed(f->parser);
}

/* Callbacks of yajl: 1 to go on, 0 to stop. */

/* The failure, so far without a place, concerns the current event. */
static int stop_in_event(struct falcon *f)
{
    f->is_failed = true;
    (void)err_wrap(&f->failure, "byte %" PRIu64, f->object.offset);
    return 0;
}

/* A value that is no object, in place of an event: an array element, which is skipped. Outside an
 * array it is a line that is no event, which step() handles. */
static int pass_between_events(struct falcon *f)
{
    if (f->is_in_array && f->stray_elements.count++ == 0) {
        f->stray_elements.offset = place(f);
    }
    return f->is_in_array;
}

/* Whether the next value belongs to a known field. */
static bool is_wanted(struct falcon *f)
{
    f->token_count++;
    return f->depth == 1 && f->field != FALCON_UNKNOWN;
}

static int on_null(void *context)
{
    struct falcon *f = context;
    f->token_count++;
    return f->depth > 0 ? 1 : pass_between_events(f);
}

static int on_boolean(void *context, int value)
{
    (void)value;
    struct falcon *f = context;
    if (is_wanted(f)) {
        falcon_object_fault(&f->object, f->field, FALCON_FAULT_BOOLEAN);
    }
    return f->depth > 0 ? 1 : pass_between_events(f);
}

static int on_number(void *context, const char *digits, size_t size)
{
    struct falcon *f = context;
    if (is_wanted(f)) {
        falcon_object_number(&f->object, f->field, digits, size);
    }
    return f->depth > 0 ? 1 : pass_between_events(f);
}

/* yajl accepts overlong forms and surrogates, and produces the latter from escapes. */
static bool is_proper(const struct falcon *f, const char *text, size_t size)
{
    const bool is_as_written = text >= f->chunk && text < f->chunk + f->chunk_size;
    return (is_as_written && !f->is_wide) || utf8_valid_size(text, size) == size;
}

static int on_string(void *context, const unsigned char *bytes, size_t size)
{
    struct falcon *f = context;
    const char *text = (const char *)bytes;
    if (is_wanted(f)) {
        if (size > TOKEN_SIZE_MAX) {
            falcon_object_fault(&f->object, f->field, FALCON_FAULT_TOO_LONG);
        } else if (!is_proper(f, text, size)) {
            falcon_object_fault(&f->object, f->field, FALCON_FAULT_NOT_UTF8);
        } else {
            falcon_object_text(&f->object, f->field, text, size);
        }
    }
    return f->depth > 0 ? 1 : pass_between_events(f);
}

static int on_key(void *context, const unsigned char *key, size_t size)
{
    struct falcon *f = context;
    f->token_count++;
    if (f->depth == 1) {
        f->field = falcon_object_key(&f->object, (const char *)key, size);
    }
    return 1;
}

/* A nested value within an event: skipped whole. */
static int nest(struct falcon *f, enum falcon_fault fault)
{
    if (is_wanted(f)) {
        falcon_object_fault(&f->object, f->field, fault);
    }
    if (f->depth == DEPTH_MAX) {
        (void)err_set(&f->failure, "the event is nested more than %d deep", DEPTH_MAX);
        return stop_in_event(f);
    }
    must(f->depth < DEPTH_MAX);
    f->depth++;
    return 1;
}

static int on_start_map(void *context)
{
    struct falcon *f = context;
    if (f->depth > 0) {
        return nest(f, FALCON_FAULT_OBJECT);
    }
    f->token_count++;
    f->depth = 1;
    falcon_object_begin(&f->object, place(f) - 1);
    return 1;
}

static void mark_whole(struct falcon *f)
{
    f->whole_size = yajl_get_bytes_consumed(f->parser);
}

static int on_end_map(void *context)
{
    struct falcon *f = context;
    f->token_count++;
    must(f->depth > 0);
    if (--f->depth > 0) {
        return 1;
    }
    mark_whole(f);
    must(f->count < BATCH_MAX);
    f->offsets[f->count] = f->object.offset;
    f->count += falcon_object_end(&f->object, &f->events[f->count]);
    return 1;
}

static int on_start_array(void *context)
{
    struct falcon *f = context;
    if (f->depth > 0) {
        return nest(f, FALCON_FAULT_ARRAY);
    }
    f->token_count++;
    if (!f->is_array_awaited) {
        /* An array inside the array: skipped whole, like a field of an event. */
        f->depth = f->is_in_array ? 1 : 0;
        f->field = FALCON_UNKNOWN;
        falcon_object_begin(&f->object, place(f) - 1);
        return pass_between_events(f);
    }
    f->is_array_awaited = false;
    f->is_in_array = true;
    return 1;
}

static int on_end_array(void *context)
{
    struct falcon *f = context;
    f->token_count++;
    if (f->depth > 0) {
        f->depth--;
    } else {
        f->is_in_array = false;
        mark_whole(f);
    }
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end_map,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};

/* yajl's memory is from our heap. */

static void parser_free(struct falcon *f)
{
    if (f->parser != NULL) {
        yajl_free(f->parser);
        f->parser = NULL;
    }
}

static void parser_need(struct falcon *f)
{
    if (f->parser == NULL) {
        f->parser = json_reader_new(&callbacks, f);
        must(yajl_config(f->parser, yajl_allow_multiple_values, 1) != 0);
        f->quiet_size = 0;
    }
}

static int fail_syntax(struct falcon *f, struct err *e)
{
    (void)json_reader_fail(f->parser, place(f), e);
    if (f->depth > 0) {
        const struct err inner = *e;
        (void)err_set(e, "%s (in the event at byte %" PRIu64 ")", inner.text, f->object.offset);
    }
    return -1;
}

static int check_limits(const struct falcon *f, struct err *e)
{
    const uint64_t end = f->cursor.in.offset;
    const uint64_t start = f->depth > 0 ? f->object.offset : end - f->quiet_size;
    if (f->quiet_size > TOKEN_SIZE_MAX) {
        return err_set(e, "byte %" PRIu64 ": a name or value of more than %d bytes", start,
                       TOKEN_SIZE_MAX);
    }
    if (f->depth > 0 && end - start > OBJECT_SIZE_MAX) {
        return err_set(e, "byte %" PRIu64 ": an event of more than %d bytes", start,
                       OBJECT_SIZE_MAX);
    }
    return 0;
}

/* Feeds yajl the first `size` bytes. */
static int feed(struct falcon *f, size_t size, struct err *e)
{
    struct in *in = &f->cursor.in;
    parser_need(f);
    must(size <= in->available);
    f->chunk = in->at;
    f->chunk_size = size;
    f->is_wide = (f->is_wide && f->depth > 0) || !utf8_is_ascii(in->at, size);
    f->whole_size = 0;
    f->token_count = 0;
    const bool is_read = json_reader_feed(f->parser, in->at, size) == 0;
    if (f->is_failed) {
        *e = f->failure;
        return -1;
    }
    if (is_outside(f)) {
        if (!is_read) {
            parser_free(f);
        }
        must(f->whole_size <= size);
        in_skip(in, f->whole_size);
        f->quiet_size = 0;
        return 1;
    }
    if (!is_read) {
        return fail_syntax(f, e);
    }
    f->quiet_size = f->token_count > 0 ? 0 : f->quiet_size + size;
    in_skip(in, size);
    return check_limits(f, e) < 0 ? -1 : 1;
}

/* The number of bytes to feed: up to the last new line, else the last brace, within a chunk.
 * Returns 0 when more bytes are needed first. */
static size_t chunk_end(const struct in *in)
{
    const size_t limit = in->available < CHUNK_SIZE ? in->available : CHUNK_SIZE;
    const char *end = memrchr(in->at, '\n', limit);
    if (end == NULL) {
        if (in->available < CHUNK_SIZE && !in->is_end) {
            return 0;
        }
        end = memrchr(in->at, '}', limit);
    }
    must(limit <= in->available);
    return end == NULL ? limit : (size_t)(end - in->at) + 1;
}

/* Whether the '[' here opens an array of events; a line of a log may begin with "[main] INFO". */
static int opens_array(struct in *in, struct err *e)
{
    for (size_t i = 1; i < CHUNK_SIZE; i++) {
        if (in_fill(in, i + 1, e) < 0) {
            return -1;
        }
        if (i >= in->available) {
            break;
        }
        if (!is_blank(in->at[i])) {
            return in->at[i] == '{' || in->at[i] == ']';
        }
    }
    return 1;
}

/* The name of another trace format that the line is in, NULL when none. */
static const char *other_form(const char *line, size_t size)
{
    return std_is_event(line, size)              ? "RAPID STD"
           : format_text.sniff(line, size) > 0   ? "text"
           : format_native.sniff(line, size) > 0 ? "native"
                                                 : NULL;
}

/* Skips a line, or the rest of one, that is no event. */
static int skip_stray(struct falcon *f, struct err *e)
{
    struct in *in = &f->cursor.in;
    size_t size = 0;
    for (;;) {
        const char *end = memchr(in->at + size, '\n', in->available - size);
        if (end != NULL) {
            size = (size_t)(end - in->at) + 1;
            break;
        }
        size = in->available;
        if (in->is_end) {
            break;
        }
        if (size > LINE_SIZE_MAX) {
            return err_set(e, "byte %" PRIu64 ": a line of more than %d bytes without an event",
                           in->offset, LINE_SIZE_MAX);
        }
        if (in_fill(in, size + 1, e) < 0) {
            return -1;
        }
    }
    const char *other = other_form(in->at, size);
    if (other != NULL) {
        return err_set(
            e, "byte %" PRIu64 ": the Falcon trace goes on in %s form; formats cannot be mixed",
            in->offset, other);
    }
    if (f->stray.count++ == 0) {
        f->stray.offset = in->offset;
    }
    in_skip(in, size);
    parser_free(f);
    return 1;
}

/* The size of a byte order mark at the very beginning. */
static size_t mark_size(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Outside arrays commas are blanks too: excerpts of an array often begin with one. */
static void skip_blanks(struct in *in)
{
    size_t blanks = in->offset == 0 ? mark_size(in->at, in->available) : 0;
    while (blanks < in->available && (is_blank(in->at[blanks]) || in->at[blanks] == ',')) {
        blanks++;
    }
    in_skip(in, blanks);
}

/* Reads one more part. Returns 1, 0 at the end of the input, -1. */
static int step(struct falcon *f, struct err *e)
{
    struct in *in = &f->cursor.in;
    const ssize_t available = in_fill(in, 1, e);
    if (available <= 0) {
        return (int)available;
    }
    if (is_outside(f)) {
        skip_blanks(in);
        if (in->available == 0) {
            return 1;
        }
        const int opens = in->at[0] == '[' ? opens_array(in, e) : 0;
        if (opens < 0) {
            return -1;
        }
        f->is_array_awaited = opens > 0;
        if (in->at[0] != '{' && !f->is_array_awaited) {
            return skip_stray(f, e);
        }
    }
    size_t size = 0;
    while ((size = chunk_end(in)) == 0) {
        if (in_fill(in, in->available + 1, e) < 0) {
            return -1;
        }
    }
    return feed(f, size, e);
}

static void note_stray(const struct cursor *c, struct tally *t, const char *text)
{
    char where[160];
    (void)snprintf(where, sizeof where, "%s: byte %" PRIu64, c->path, t->offset);
    notes_add_many(c->notes, t->count, where, text);
    *t = (struct tally){0};
}

static void note_skipped(struct falcon *f)
{
    const struct cursor *c = &f->cursor;
    note_stray(c, &f->stray, "lines that are no events: skipped");
    note_stray(c, &f->stray_elements, "elements of an array that are no events: skipped");
    falcon_object_note(&f->object, c->notes, c->path);
}

static int finish(struct falcon *f, struct err *e)
{
    const uint64_t end = f->cursor.in.offset;
    if (f->depth > 0) {
        return err_set(e, "byte %" PRIu64 ": the input ends inside the event at byte %" PRIu64, end,
                       f->object.offset);
    }
    if (f->is_in_array) {
        return err_set(e, "byte %" PRIu64 ": the input ends inside the array of events", end);
    }
    if (f->event_total == 0) {
        return falcon_object_fail(&f->object, e) < 0
                   ? -1
                   : err_set(e, "byte %" PRIu64 ": the input ends without a Falcon event in it",
                             end);
    }
    note_skipped(f);
    return 0;
}

static int next_batch(struct cursor *c, struct batch *b, struct err *e)
{
    struct falcon *f = (struct falcon *)c;
    f->count = 0;
    int more = 1;
    while (more > 0 && f->count + CHUNK_EVENTS_MAX <= BATCH_MAX) {
        if (f->count > 0 && chunk_end(&c->in) == 0) {
            break; /* a small batch now is better than a wait for a slow pipe */
        }
        more = step(f, e);
    }
    if (more < 0) {
        return -1;
    }
    f->event_total += f->count;
    *b = (struct batch){.events = f->events, .offsets = f->offsets, .count = f->count};
    return f->count > 0 ? 1 : finish(f, e);
}

static void close_reader(struct cursor *c)
{
    struct falcon *f = (struct falcon *)c;
    parser_free(f);
    falcon_object_release(&f->object);
}

static const struct cursor_ops falcon_ops = {.next = next_batch, .close = close_reader};

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    (void)e;
    struct falcon *f = mem_zero(1, sizeof *f);
    f->cursor = (struct cursor){.ops = &falcon_ops, .tables = t, .notes = n, .in = *in};
    falcon_object_init(&f->object, t);
    t->order = ORDER_NODE;
    t->tick_ns = FALCON_TICK_NS;
    t->source = names_intern_text(&t->names, "falcon");
    return &f->cursor;
}

static bool holds(const char *bytes, size_t size, const char *text)
{
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

/* Whether the input has an object with Falcon's fields, at the beginning or, after lines of other
 * programs, at the beginning of a line. */
static int sniff(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    const char *first = bytes + mark_size(bytes, size);
    for (const char *line = first; line < end;) {
        const char *start = line;
        while (start < end && (is_blank(*start) || *start == '[' || *start == ']')) {
            start++;
        }
        if (start < end && *start == '{') {
            const size_t rest = (size_t)(end - start);
            if (holds(start, rest, "\"thread\"") || holds(start, rest, "\"type\"")) {
                return 90;
            }
            return line == first ? 30 : 0;
        }
        line = memchr(line, '\n', (size_t)(end - line));
        if (line == NULL) {
            return 0;
        }
        line++;
    }
    return 0;
}

const struct format format_falcon = {
    .name = "falcon",
    .ending = ".log",
    .meaning = "Falcon's JSON events, the input of SPIDER",
    .sniff = sniff,
    .open = open_reader,
    .create = falcon_writer_new,
};
