/* The reader of the text form: a line is an event, its words taken from left to right. */
#include "trace/text_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/quoted_text.h"
#include "trace/kind_table.h"
#include "trace/line_reader.h"
#include "trace/quoted_word.h"

struct text_reader {
    struct cursor cursor;
    struct lines lines;
    struct words words; /* the rest of the line */
    struct event *events;
    uint64_t *offsets;
    struct arena arena; /* of the batch */
};

static const char magic[] = "clew-text ";

/* Sets an error at the current place of the words. */
static int refuse(struct text_reader *r, const char *what, struct err *e)
{
    const uint64_t at = r->lines.offset + (uint64_t)(r->words.at - r->lines.text);
    return err_set(e, "byte %llu: line %llu: %s", (unsigned long long)at,
                   (unsigned long long)r->lines.number, what);
}

/* The same about an unknown word. */
static int refuse_word(struct text_reader *r, const char *what, const struct word *word,
                       struct err *e)
{
    char text[100];
    (void)snprintf(text, sizeof text, "there is no %s %s", what,
                   shown(word->text, word->size).text);
    r->words.at = word->is_quoted ? r->words.at : word->text;
    return refuse(r, text, e);
}

/* Moves to the next line: 1, 0 at the end of the input. */
static int next_line(struct text_reader *r, struct err *e)
{
    const int more = lines_next(&r->lines, e);
    if (more > 0) {
        r->words.at = r->lines.text;
        r->words.end = r->lines.text + r->lines.size;
    }
    return more;
}

/* Whether the line continues with something other than a comment. */
static bool goes_on(struct text_reader *r)
{
    return words_are_left(&r->words) && *r->words.at != '#';
}

#define KEY(id, key) " " key
static const char no_field[] = "there is no field of this name; the fields are" TEXT_KEY_LIST(KEY);
#undef KEY

static int expect_gap(struct text_reader *r, struct err *e)
{
    if (words_is_gap(&r->words)) {
        return 0;
    }
    return refuse(
        r, *r->words.at == '=' ? no_field : "a blank was expected (odd characters go in quotes)",
        e);
}

/* Whether the next word is a name with a = behind it. */
static bool is_key(const struct text_reader *r)
{
    const char *at = r->words.at;
    while (at < r->words.end && *at >= 'a' && *at <= 'z') {
        at++;
    }
    return at > r->words.at && at < r->words.end && *at == '=';
}

/* Takes a word and interns it. */
static int take_name(struct text_reader *r, uint32_t *name, struct err *e)
{
    struct word word;
    if (!words_take(&r->words, &word)) {
        return refuse(r, r->words.wrong, e);
    }
    *name = names_intern(&r->cursor.tables->names, word.text, word.size);
    return 0;
}

/* Takes name, or name@node. */
static int take_task(struct text_reader *r, uint32_t *task, struct err *e)
{
    uint32_t name = 0;
    uint32_t node = 0;
    if (take_name(r, &name, e) < 0 || (words_skip(&r->words, '@') && take_name(r, &node, e) < 0)) {
        return -1;
    }
    *task = tables_task(r->cursor.tables, node, name);
    return 0;
}

static int take_mode(struct text_reader *r, struct event *event, struct err *e)
{
    struct word word;
    if (!words_take(&r->words, &word)) {
        return refuse(r, r->words.wrong, e);
    }
    event->mode = mode_find(kind_of(event->kind)->modes, word.text, word.size);
    return event->mode == MODE_UNSAID ? refuse_word(r, "such mode of this kind:", &word, e) : 0;
}

static int take_u32(struct text_reader *r, uint32_t *number, struct err *e)
{
    uint64_t wide = 0;
    if (!words_take_u64(&r->words, &wide)) {
        return refuse(r, r->words.wrong, e);
    }
    if (wide > UINT32_MAX) {
        return refuse(r, "the number is out of range", e);
    }
    *number = (uint32_t)wide;
    return 0;
}

static int take_i64(struct text_reader *r, int64_t *number, struct err *e)
{
    return words_take_i64(&r->words, number) ? 0 : refuse(r, r->words.wrong, e);
}

static int take_hlc(struct text_reader *r, struct event *event, struct err *e)
{
    if (take_i64(r, &event->hlc_time, e) < 0) {
        return -1;
    }
    if (!words_skip(&r->words, ',')) {
        return refuse(r, "a hybrid logical clock is written TIME,COUNT", e);
    }
    return take_u32(r, &event->hlc_count, e);
}

/* Takes the value of a key. */
static int take_value(struct text_reader *r, enum text_key key, struct event *event, struct err *e)
{
    static const uint8_t bits[TEXT_KEY_COUNT] = {
        [TEXT_PEER] = HAS_PEER,   [TEXT_VALUE] = HAS_VALUE, [TEXT_SIZE] = HAS_SIZE,
        [TEXT_COUNT] = HAS_COUNT, [TEXT_TIME] = HAS_TIME,   [TEXT_HLC] = HAS_HLC,
    };
    event->has |= bits[key];
    switch (key) {
    case TEXT_OBJECT: return take_name(r, &event->object, e);
    case TEXT_PEER: return take_task(r, &event->peer, e);
    case TEXT_MODE: return take_mode(r, event, e);
    case TEXT_MESSAGE: return take_name(r, &event->message, e);
    case TEXT_VALUE: return take_i64(r, &event->value, e);
    case TEXT_SIZE:
        return words_take_u64(&r->words, &event->size) ? 0 : refuse(r, r->words.wrong, e);
    case TEXT_COUNT: return take_u32(r, &event->count, e);
    case TEXT_TEXT: return take_name(r, &event->text, e);
    case TEXT_TIME: return take_i64(r, &event->time, e);
    case TEXT_HLC: return take_hlc(r, event, e);
    case TEXT_LOCATION: return take_name(r, &event->location, e);
    case TEXT_KEY_COUNT: break;
    }
    bug("text key");
}

/* The key at this place, and skips it with its =; else the key of a bare word. */
static enum text_key take_key(struct text_reader *r, const struct event *event)
{
    static const struct {
        const char *text;
        size_t size;
    } keys[] = {
#define KEY(id, key) {key "=", sizeof(key)},
        TEXT_KEY_LIST(KEY)
#undef KEY
    };
    const size_t rest = (size_t)(r->words.end - r->words.at);
    if (words_skip(&r->words, '@')) {
        return TEXT_LOCATION;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (rest >= keys[i].size && memcmp(r->words.at, keys[i].text, keys[i].size) == 0) {
            r->words.at += keys[i].size;
            return (enum text_key)i;
        }
    }
    return (kind_of(event->kind)->fields & F_PEER) != 0 ? TEXT_PEER : TEXT_OBJECT;
}

/* Takes the fields after task and kind. */
static int take_fields(struct text_reader *r, struct event *event, struct err *e)
{
    unsigned seen = 0;
    while (goes_on(r)) {
        const char *from = r->words.at;
        const enum text_key key = take_key(r, event);
        /* A message and a peer share their field in an event. */
        const unsigned bit = 1u << (key == TEXT_PEER ? TEXT_MESSAGE : key);
        if ((seen & bit) != 0) {
            const bool is_bare = r->words.at == from;
            r->words.at = from;
            return refuse(r,
                          is_bare && is_key(r)
                              ? no_field
                              : "this field is there twice (or both msg and peer are)",
                          e);
        }
        seen |= bit;
        if (take_value(r, key, event, e) < 0) {
            return -1;
        }
        if (expect_gap(r, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take_event(struct text_reader *r, struct event *event, struct err *e)
{
    *event = (struct event){0};
    if (take_task(r, &event->task, e) < 0) {
        return -1;
    }
    struct word kind;
    if (!goes_on(r) || !words_take(&r->words, &kind)) {
        return refuse(r, "the kind of the event is missing", e);
    }
    event->kind = kind_find(kind.text, kind.size);
    if (event->kind == 0) {
        return refuse_word(r, "kind of event called", &kind, e);
    }
    return expect_gap(r, e) < 0 ? -1 : take_fields(r, event, e);
}

static int next(struct cursor *c, struct batch *b, struct err *e)
{
    struct text_reader *r = (struct text_reader *)c;
    size_t count = 0;
    int more = 0;
    while (count < BATCH_MAX && (more = next_line(r, e)) > 0) {
        if (goes_on(r)) {
            r->offsets[count] = r->lines.offset;
            if (take_event(r, &r->events[count], e) < 0) {
                return -1;
            }
            count++;
            if (r->lines.lacks_end) {
                cursor_note_unended(c, r->lines.offset);
            }
        }
    }
    if (more < 0) {
        return -1;
    }
    *b = (struct batch){.events = r->events, .offsets = r->offsets, .count = count};
    return count > 0;
}

static int take_order(struct text_reader *r, struct err *e)
{
    struct word word;
    if (!words_take(&r->words, &word)) {
        return refuse(r, r->words.wrong, e);
    }
    for (int i = 0; i < ORDER_KIND_COUNT; i++) {
        if (word_is(&word, order_kind_name((enum order_kind)i))) {
            r->cursor.tables->order = (enum order_kind)i;
            return 0;
        }
    }
    return refuse_word(r, "order called", &word, e);
}

static int take_header_field(struct text_reader *r, struct err *e)
{
    struct word key;
    if (!words_take(&r->words, &key) || !words_skip(&r->words, '=')) {
        return refuse(r, "the first line goes on with order=, tick= or source=", e);
    }
    if (word_is(&key, "order")) {
        return take_order(r, e);
    }
    if (word_is(&key, "source")) {
        return take_name(r, &r->cursor.tables->source, e);
    }
    if (!word_is(&key, "tick")) {
        return refuse_word(r, "field of the first line called", &key, e);
    }
    return words_take_u64(&r->words, &r->cursor.tables->tick_ns) ? 0 : refuse(r, r->words.wrong, e);
}

static int take_header(struct text_reader *r, struct err *e)
{
    const int more = next_line(r, e);
    if (more < 0) {
        return -1;
    }
    uint64_t version = 0;
    if (more == 0 || (size_t)(r->words.end - r->words.at) < sizeof magic - 1 ||
        memcmp(r->words.at, magic, sizeof magic - 1) != 0) {
        return err_set(e, "byte 0: line 1: does not begin with \"clew-text 1\"");
    }
    r->words.at += sizeof magic - 1;
    if (!words_take_u64(&r->words, &version)) {
        return refuse(r, r->words.wrong, e);
    }
    if (version != TEXT_VERSION) {
        return refuse(r, "this clew reads version 1 of the text form only", e);
    }
    while (goes_on(r)) {
        if (take_header_field(r, e) < 0) {
            return -1;
        }
        if (expect_gap(r, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static void close_reader(struct cursor *c)
{
    struct text_reader *r = (struct text_reader *)c;
    words_release(&r->words);
    arena_release(&r->arena);
}

static const struct cursor_ops ops = {.next = next, .close = close_reader};

static int sniff(const char *bytes, size_t size)
{
    return size >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0 ? 100 : 0;
}

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    struct text_reader *r = mem_zero(1, sizeof *r);
    r->cursor = (struct cursor){.ops = &ops, .tables = t, .notes = n, .path = "", .in = *in};
    r->events = arena_array(&r->arena, struct event, BATCH_MAX);
    r->offsets = arena_array(&r->arena, uint64_t, BATCH_MAX);
    r->lines.in = &r->cursor.in;
    if (take_header(r, e) < 0) {
        cursor_close(&r->cursor);
        return NULL;
    }
    return &r->cursor;
}

const struct format format_text = {
    .name = "text",
    .ending = ".txt",
    .meaning = "one event per line, for people and tests",
    .sniff = sniff,
    .open = open_reader,
    .create = text_create,
};
