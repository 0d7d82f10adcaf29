/* Compares the engine's answer for a capture with brute force. */
#include <stdio.h>

#include "atomicity/atomicity.h"
#include "atomicity/execution.h"
#include "atomicity/match.h"
#include "base/sort.h"
#include "http_rules_of.h"
#include "import/import.h"
#include "random_capture.h"
#include "shrink.h"
#include "trace/trace.h"
#include "wire/kind.h"

struct heard {
    const struct frame *frame;
    const uint32_t *request_of; /* per event */
    struct out out;
    bool is_wrong; /* an execution is none */
};

static event_id event_of(const struct match *m, uint32_t i)
{
    return m->model->threads[m->places[i].thread].steps[m->places[i].step].event;
}

static void check_execution(struct heard *h, const struct match *m)
{
    struct segments segments = {0};
    event_id places[QUESTION_PLACES_MAX];
    for (uint32_t i = 0; i < m->place_count; i++) {
        places[i] = event_of(m, i);
    }
    segments_add_steps(&segments, m->model, m->decider->taken.at, m->decider->taken.count);
    const struct execution_claim claim = {
        .segments = &segments, .places = places, .place_count = m->place_count};
    struct err e = {0};
    h->is_wrong |= execution_check(h->frame, &claim, &e) < 0;
    segments_release(&segments);
}

/* The interrupted task's requests, and those of the other in its own order. */
static void hear(void *context, const struct match *m)
{
    struct heard *h = context;
    uint32_t others[QUESTION_PLACES_MAX];
    uint32_t other_count = 0;
    check_execution(h, m);
    out_text(&h->out, violation_key(m->pattern));
    for (uint32_t i = 0; i < m->place_count; i++) {
        const uint32_t request = h->request_of[event_of(m, i)];
        if (m->places[i].thread == m->places[0].thread) {
            out_format(&h->out, " %u", request);
        } else {
            others[other_count++] = request;
        }
    }
    out_text(&h->out, " |");
    for (uint32_t i = 0; i < other_count; i++) {
        out_format(&h->out, " %u", others[i]);
    }
    out_char(&h->out, '\n');
}

static void search(struct heard *h)
{
    const struct variables *v = &h->frame->variables;
    struct matcher matcher;
    matcher_init(&matcher,
                 &(struct match_options){
                     .reports_all = true, .keeps_rounds = true, .found = hear, .context = h});
    for (uint32_t x = 0; x < v->list.count; x++) {
        struct sketch sketch;
        sketch_build(&sketch, h->frame, x, VARIABLE_NONE);
        match_single(&matcher, &sketch);
        sketch_release(&sketch);
        for (uint32_t y = x + 1; y < v->list.count; y++) {
            sketch_build(&sketch, h->frame, x, y);
            match_pair(&matcher, &sketch);
            sketch_release(&sketch);
        }
    }
    h->is_wrong |= matcher.stats.unknown > 0;
    matcher_release(&matcher);
}

/* ---- comparing ---- */

typedef VEC(const char *) line_list;

static int compare_lines(const void *left, const void *right, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void lines_of(const struct out *out, struct arena *a, line_list *lines)
{
    char *text = arena_text(a, out->buffer, out->used);
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        *end = '\0';
        vec_push(lines, line);
        line = end + 1;
    }
    sort_stable(lines->at, lines->count, sizeof *lines->at, compare_lines, NULL);
}

static void print_lines(const char *whose, const line_list *lines, struct out *told)
{
    out_format(told, "%s\n", whose);
    vec_each (lines, line) {
        out_format(told, "  %s\n", *line);
    }
}

static bool are_same(const struct out *engine, const struct out *brute, struct capture_tally *tally,
                     struct out *told)
{
    struct arena scratch = {0};
    line_list a = {0};
    line_list b = {0};
    lines_of(engine, &scratch, &a);
    lines_of(brute, &scratch, &b);
    tally->patterns += b.count;
    tally->with_patterns += b.count > 0;
    bool is_same = a.count == b.count;
    for (size_t i = 0; is_same && i < a.count; i++) {
        is_same = strcmp(a.at[i], b.at[i]) == 0;
    }
    if (told != NULL) {
        print_lines("engine", &a, told);
        print_lines("brute force", &b, told);
    }
    vec_release(&a);
    vec_release(&b);
    arena_release(&scratch);
    return is_same;
}

/* ---- reading ---- */

/* Reads the capture into t; each access gets a place of its own, so that no two candidates are
 * taken for one. False when the reader has nothing to give. */
static bool read_capture(const struct out *har, struct trace *t)
{
    struct notes n = {0};
    struct err e = {0};
    struct in in;
    struct trace plain;
    struct http_rules rules;
    http_rules_of(&rules, capture_rules);
    trace_init(&plain);
    in_open_memory(&in, har->buffer, har->used);
    struct cursor *c = format_har.open(&in, &plain.tables, &n, &e);
    must(c != NULL);
    c->path = "capture";
    const bool is_read = trace_load(&plain, c, &e) == 0;
    trace_seal(&plain);
    trace_copy_tables(t, &plain);
    trace_each (&plain, event) {
        char place[16];
        (void)snprintf(place, sizeof place, "l%zu", (size_t)(event - plain.events.at));
        struct event copy = *event;
        copy.location = names_intern_text(&t->tables.names, place);
        trace_append(t, &copy);
    }
    trace_seal(t);
    cursor_close(c);
    trace_release(&plain);
    notes_release(&n);
    http_rules_end(&rules);
    return is_read;
}

static const uint32_t *find_requests(const struct trace *t, struct arena *a)
{
    uint32_t *request_of = arena_array(a, uint32_t, t->events.count + 1);
    uint32_t count = 0;
    for (event_id id = 0; id < t->events.count; id++) {
        count += trace_at(t, id)->kind == EVENT_REQUEST;
        must(count > 0);
        request_of[id] = count - 1;
    }
    return request_of;
}

/* The whole analysis, with grades and witnesses: each finding is checked inside. */
static void find_all(const struct trace *t)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct atomicity_stats stats = {0};
    const struct atomicity_options options = {.wants_all_pairs = true, .wants_witness = true};
    const int found = atomicity_find(t, &options, &f, &stats, &n, &e);
    must(found == 0);
    findings_release(&f);
    notes_release(&n);
}

static bool compare(const struct capture *c, const struct trace *t, struct capture_tally *tally,
                    struct out *told)
{
    struct frame frame;
    struct notes n = {0};
    struct err e = {0};
    struct arena scratch = {0};
    struct out brute;
    const int built = frame_build(&frame, t, &n, &e);
    must(built == 0);
    struct heard h = {.frame = &frame, .request_of = find_requests(t, &scratch)};
    out_open_memory(&h.out);
    out_open_memory(&brute);
    search(&h);
    capture_patterns(c, &brute);
    const bool is_same = are_same(&h.out, &brute, tally, told);
    if (told != NULL && h.is_wrong) {
        out_text(told, "an execution of the engine is none\n");
    }
    out_abandon(&h.out);
    out_abandon(&brute);
    arena_release(&scratch);
    frame_release(&frame);
    notes_release(&n);
    return is_same && !h.is_wrong;
}

bool capture_agrees(const uint8_t *bytes, size_t size, struct capture_tally *tally,
                    struct out *told)
{
    struct capture c;
    struct trace t;
    struct out har;
    capture_make(&c, bytes, size);
    if (c.count == 0) {
        return true;
    }
    tally->captures++;
    for (uint32_t i = 0; i < c.count; i++) {
        tally->refused += c.list[i].kind == CAPTURE_REFUSED;
        tally->conditional += c.list[i].kind == CAPTURE_WRITE && c.list[i].asked != 0;
    }
    out_open_memory(&har);
    capture_print_har(&c, &har);
    const bool agrees = read_capture(&har, &t) && compare(&c, &t, tally, told);
    if (agrees) {
        find_all(&t);
    }
    if (told != NULL) {
        out_bytes(told, har.buffer, har.used);
    }
    out_abandon(&har);
    trace_release(&t);
    return agrees;
}
