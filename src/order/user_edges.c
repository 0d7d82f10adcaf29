#include "order/user_edges.h"

#include <stdio.h>
#include <string.h>

#include "base/in.h"
#include "base/map.h"
#include "order/event_notes.h"

enum { FILE_SIZE_MAX = 64 << 20 };

/* A line being read. */
struct line {
    const char *at;
    const char *end;
    const char *begin;
    uint32_t number;
};

static int fault(const struct line *l, const char *at, struct err *e, const char *what)
{
    return err_set(e, "line %u, column %u: %s", l->number, (unsigned)(at - l->begin) + 1, what);
}

static void skip_blanks(struct line *l)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r')) {
        l->at++;
    }
}

static bool is_word_end(const struct line *l, const char *at)
{
    return at == l->end || *at == ' ' || *at == '\t' || *at == '\r';
}

static int parse_quoted(struct given *g, struct line *l, struct given_side *side, struct err *e)
{
    const char *open = l->at++;
    char *text = arena_array(&g->arena, char, (size_t)(l->end - open));
    size_t size = 0;
    for (; l->at < l->end && *l->at != '"'; l->at++) {
        if (*l->at == '\\' && l->at + 1 < l->end) {
            l->at++;
        }
        text[size++] = *l->at;
    }
    if (l->at == l->end) {
        return fault(l, open, e, "this quote is never closed");
    }
    l->at++;
    *side = (struct given_side){.event = EVENT_NONE, .text = text, .size = size};
    return 0;
}

static int parse_side(struct given *g, struct line *l, struct given_side *side, struct err *e)
{
    skip_blanks(l);
    const char *begin = l->at;
    if (begin == l->end) {
        return fault(l, begin, e, "an event (its index or its location) is missing");
    }
    if (*begin == '"') {
        return parse_quoted(g, l, side, e);
    }
    uint64_t number = 0;
    bool is_number = true;
    while (!is_word_end(l, l->at)) {
        is_number = is_number && *l->at >= '0' && *l->at <= '9';
        number = number < EVENT_NONE && is_number ? number * 10 + (uint64_t)(*l->at - '0') : number;
        l->at++;
    }
    if (is_number && number >= EVENT_NONE) {
        return fault(l, begin, e, "no trace has that many events (quote it if it is a location)");
    }
    const size_t size = (size_t)(l->at - begin);
    *side = (struct given_side){
        .event = is_number ? (event_id)number : EVENT_NONE,
        .text = arena_text(&g->arena, begin, size),
        .size = size,
    };
    return 0;
}

static int parse_line(struct given *g, struct line *l, struct err *e)
{
    skip_blanks(l);
    if (l->at == l->end || *l->at == '#') {
        return 0;
    }
    struct given_line parsed = {.line = l->number};
    if (parse_side(g, l, &parsed.before, e) < 0) {
        return -1;
    }
    skip_blanks(l);
    static const char word[] = "before";
    const size_t size = sizeof word - 1;
    if ((size_t)(l->end - l->at) < size || memcmp(l->at, word, size) != 0 ||
        !is_word_end(l, l->at + size)) {
        return fault(l, l->at, e, "the word 'before' is missing (a line is: A before B)");
    }
    l->at += size;
    if (parse_side(g, l, &parsed.after, e) < 0) {
        return -1;
    }
    skip_blanks(l);
    if (l->at < l->end && *l->at != '#') {
        return fault(l, l->at, e, "nothing may follow A before B (quote locations with blanks)");
    }
    if (parsed.before.event != EVENT_NONE && parsed.before.event == parsed.after.event) {
        return fault(l, l->begin, e, "an event does not come before itself");
    }
    vec_push(&g->lines, parsed);
    return 0;
}

int given_parse(struct given *g, const char *bytes, size_t size, struct err *e)
{
    const char *end = bytes + size;
    uint32_t number = 1;
    for (const char *at = bytes; at < end; number++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end == NULL ? end : line_end;
        struct line l = {.at = at, .begin = at, .end = line_end, .number = number};
        if (parse_line(g, &l, e) < 0) {
            return -1;
        }
        at = line_end < end ? line_end + 1 : end;
    }
    return 0;
}

int given_read(struct given *g, const char *path, struct err *e)
{
    struct in in;
    g->path = arena_text(&g->arena, path, strlen(path));
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    int result = in_fill_all(&in, FILE_SIZE_MAX, e);
    if (result == 0) {
        result = given_parse(g, in.at, in.available, e);
    }
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", path) : 0;
}

void given_release(struct given *g)
{
    vec_release(&g->lines);
    arena_release(&g->arena);
}

/* ---- into a trace ---- */

/* The events at one place, in listed order. */
typedef VEC(event_id) event_vec;

static void events_at(const struct trace *t, const struct given_side *side, event_vec *found)
{
    if (side->event != EVENT_NONE) {
        vec_push(found, side->event);
        return;
    }
    const uint32_t name = names_find(&t->tables.names, side->text, side->size);
    for (event_id id = 0; name != 0 && id < t->events.count; id++) {
        if (t->events.at[id].location == name) {
            vec_push(found, id);
        }
    }
}

static const char *file_of(const struct given *g)
{
    return g->path == NULL ? "given orders" : g->path;
}

static int check_index(const struct given *g, const struct given_line *line,
                       const struct given_side *side, const struct trace *t, struct err *e)
{
    if (side->event != EVENT_NONE && side->event >= t->events.count) {
        return err_set(e, "%s: line %u: event %u is beyond the trace, which has %zu", file_of(g),
                       line->line, side->event, t->events.count);
    }
    return 0;
}

static void note_line(const struct given *g, const struct given_line *line, const char *what,
                      struct notes *n)
{
    char place[sizeof((struct note *)NULL)->place];
    (void)snprintf(place, sizeof place, "%s: line %u", file_of(g), line->line);
    notes_add(n, place, "%s", what);
}

static void note_missing(const struct given *g, const struct given_line *line,
                         const struct given_side *side, struct notes *n)
{
    char what[sizeof((struct note *)NULL)->text];
    (void)snprintf(what, sizeof what, "a given order names a place where nothing happens, %.100s",
                   side->text);
    note_line(g, line, what, n);
}

/* Events by index are ordered regardless of the list, places as listed. Returns whether there were
 * any. */
static bool add_line(const struct given_line *line, const event_vec *before, const event_vec *after,
                     struct edges *edges)
{
    const bool is_exact = line->before.event != EVENT_NONE && line->after.event != EVENT_NONE;
    const size_t count_before = edges->list.count;
    vec_each (after, target) {
        vec_each (before, source) {
            if (is_exact || *source < *target) {
                edges_add(edges, *source, *target, EDGE_GIVEN);
            }
        }
    }
    return edges->list.count > count_before;
}

int given_add(const struct given *g, const struct trace *t, struct edges *edges, struct notes *n,
              struct err *e)
{
    int result = 0;
    event_vec before = {0};
    event_vec after = {0};
    vec_each (&g->lines, line) {
        if (check_index(g, line, &line->before, t, e) < 0 ||
            check_index(g, line, &line->after, t, e) < 0) {
            result = -1;
            break;
        }
        vec_clear(&before);
        vec_clear(&after);
        events_at(t, &line->before, &before);
        events_at(t, &line->after, &after);
        if (before.count == 0) {
            note_missing(g, line, &line->before, n);
        }
        if (after.count == 0) {
            note_missing(g, line, &line->after, n);
        }
        if (!add_line(line, &before, &after, edges) && before.count > 0 && after.count > 0) {
            note_line(g, line, "a given order has no effect: nothing there is listed in that order",
                      n);
        }
    }
    vec_release(&before);
    vec_release(&after);
    return result;
}
