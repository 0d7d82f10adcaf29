#include "monitor/sequence_numbers.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/sort.h"
#include "base/vec.h"
#include "wire/kind.h"

static bool has_number(const struct event *e)
{
    switch (e->kind) {
    case EVENT_VARIABLE:
    case EVENT_VARIABLE_DELETE:
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_LOG:
    case EVENT_PROCESS_START: return (e->has & HAS_COUNT) != 0;
    default: return false;
    }
}

static bool is_missing(const struct numbered *p, uint32_t number)
{
    for (uint32_t i = 0; i < p->gap_count && i < SEQUENCE_GAPS_KEPT; i++) {
        if (number - p->gaps[i].from < p->gaps[i].count) {
            return true;
        }
    }
    return false;
}

/* Numbers wrap around at 32 bits: a number more than half of them ahead is behind. */
uint32_t sequence_ahead(const struct numbered *p, const struct event *e)
{
    const uint32_t ahead = e->count - (p->has_begun ? p->next : 1);
    return !has_number(e) || e->kind == EVENT_PROCESS_START || ahead > UINT32_MAX / 2 ? 0 : ahead;
}

enum sequence_place sequence_take(struct numbered *p, const struct event *e, uint32_t *missing)
{
    if (!has_number(e)) {
        if (e->kind == EVENT_PROCESS_START) {
            *p = (struct numbered){0};
        }
        return SEQUENCE_NEXT;
    }
    const uint32_t ahead = sequence_ahead(p, e);
    const bool is_first = !p->has_begun || e->kind == EVENT_PROCESS_START;
    must(ahead <= UINT32_MAX / 2);
    if (!is_first && ahead == 0 && e->count != p->next) {
        return is_missing(p, e->count) ? SEQUENCE_LATE : SEQUENCE_REPEATED;
    }
    p->gap_count = is_first ? 0 : p->gap_count;
    p->has_begun = true;
    p->next = e->count + 1;
    if (ahead > 0) {
        p->gaps[p->gap_count % SEQUENCE_GAPS_KEPT].from = e->count - ahead;
        p->gaps[p->gap_count++ % SEQUENCE_GAPS_KEPT].count = ahead;
    }
    *missing = ahead;
    return ahead > 0 ? SEQUENCE_GAP : SEQUENCE_NEXT;
}

void sequence_note(enum sequence_place place, uint64_t event, uint32_t missing, struct notes *n)
{
    must(place != SEQUENCE_NEXT);
    must(place != SEQUENCE_GAP || missing > 0);
    static const char *const texts[] = {
        [SEQUENCE_GAP] = "a report that is missing, by the sequence numbers of its process",
        [SEQUENCE_REPEATED] = "a report that came before, by its sequence number: left out",
        [SEQUENCE_LATE] = "a report that comes after later ones of its process: left out",
    };
    char where[160];
    (void)snprintf(where, sizeof where, "event %" PRIu64, event);
    notes_add_many(n, place == SEQUENCE_GAP ? missing : 1, where, texts[place]);
}

/* ---- out of order ---- */

void sequence_note_order(uint64_t event, struct notes *n)
{
    char where[160];
    (void)snprintf(where, sizeof where, "event %" PRIu64, event);
    notes_add(n, where, "a report that comes after later ones of its process: put in order");
}

/* The numbered events of a process since its start, as listed. */
struct numbered_run {
    VEC(event_id) events;
    bool is_out_of_order;
};

static uint32_t number_of(const struct trace *t, event_id id)
{
    return trace_at(t, id)->count;
}

struct numbers_context {
    const struct trace *t;
    uint32_t first; /* numbers count from here and wrap around at 32 bits */
};

static int compare_numbers(const void *a, const void *b, const void *context)
{
    const struct numbers_context *c = context;
    const uint32_t x = number_of(c->t, *(const event_id *)a) - c->first;
    const uint32_t y = number_of(c->t, *(const event_id *)b) - c->first;
    return (x > y) - (x < y);
}

/* Puts the events of the run, by number, where some of them were listed. */
static void put_in_order(struct numbered_run *run, const struct trace *t, event_id *order,
                         struct notes *n)
{
    if (run->is_out_of_order) {
        struct numbers_context context = {t, number_of(t, run->events.at[0])};
        vec_each (&run->events, id) {
            const uint32_t back = context.first - number_of(t, *id);
            context.first -= back <= UINT32_MAX / 2 ? back : 0;
        }
        VEC(event_id) sorted = {0};
        vec_each (&run->events, id) {
            vec_push(&sorted, *id);
        }
        sort_stable(sorted.at, sorted.count, sizeof *sorted.at, compare_numbers, &context);
        for (size_t i = 0; i < sorted.count; i++) {
            order[run->events.at[i]] = sorted.at[i];
            if (sorted.at[i] > run->events.at[i]) {
                sequence_note_order(sorted.at[i], n);
            }
        }
        vec_release(&sorted);
    }
    vec_clear(&run->events);
    run->is_out_of_order = false;
}

static void add_numbered(struct numbered_run *run, const struct trace *t, event_id id)
{
    const size_t count = run->events.count;
    if (count > 0) {
        const uint32_t ahead = number_of(t, id) - number_of(t, run->events.at[count - 1]);
        run->is_out_of_order |= ahead > UINT32_MAX / 2;
    }
    vec_push(&run->events, id);
}

/* NULL: all of them are in order as listed. */
static const event_id *find_order(const struct trace *t, const uint32_t *process_of,
                                  uint32_t process_count, struct arena *a, struct notes *n)
{
    struct numbered_run *runs = arena_array(a, struct numbered_run, process_count);
    event_id *order = arena_array(a, event_id, t->events.count);
    bool is_any = false;
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        struct numbered_run *run = &runs[process_of[e->task]];
        must(process_of[e->task] < process_count);
        order[id] = id;
        if (e->kind == EVENT_PROCESS_START) {
            put_in_order(run, t, order, n);
        }
        if (has_number(e)) {
            add_numbered(run, t, id);
            is_any |= run->is_out_of_order;
        }
    }
    for (uint32_t p = 0; p < process_count; p++) {
        put_in_order(&runs[p], t, order, n);
        vec_release(&runs[p].events);
    }
    return is_any ? order : NULL;
}

/* ---- the whole trace ---- */

struct sequence sequence_build(const struct trace *t, const uint32_t *process_of,
                               uint32_t process_count, struct arena *a, struct notes *n)
{
    struct sequence found = {.order = find_order(t, process_of, process_count, a, n),
                             .is_left_out = bits_take(a, t->events.count),
                             .is_after_gap = bits_take(a, t->events.count)};
    struct numbered *processes = arena_array(a, struct numbered, process_count);
    for (event_id place = 0; place < t->events.count; place++) {
        const event_id id = sequence_at(&found, place);
        const struct event *e = trace_at(t, id);
        uint32_t missing = 0;
        const enum sequence_place where =
            sequence_take(&processes[process_of[e->task]], e, &missing);
        if (where == SEQUENCE_NEXT) {
            continue;
        }
        sequence_note(where, id, missing, n);
        if (where == SEQUENCE_GAP) {
            bits_add(found.is_after_gap, id);
            found.gaps++;
        } else {
            bits_add(found.is_left_out, id);
        }
    }
    return found;
}
