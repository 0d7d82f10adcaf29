#include "monitor/sequence.h"

#include <stdio.h>

#include "wire/kind.h"

/* What is missing of a process, as far as it may still come: the last few gaps. */
enum { GAPS_KEPT = 16 };

struct numbered {
    bool has_begun;
    uint32_t next; /* the number that comes next */
    struct {
        uint32_t from, count;
    } gaps[GAPS_KEPT]; /* a ring */
    uint32_t gap_count;
};

struct checking {
    const struct trace *t;
    struct notes *notes;
    struct sequence found;
    struct numbered *processes;
};

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

static void note(struct checking *c, event_id id, uint64_t count, const char *text)
{
    char place[160];
    (void)snprintf(place, sizeof place, "event %u", id);
    notes_add_many(c->notes, count, place, text);
}

static bool is_missing(const struct numbered *p, uint32_t number)
{
    for (uint32_t i = 0; i < p->gap_count && i < GAPS_KEPT; i++) {
        if (number - p->gaps[i].from < p->gaps[i].count) {
            return true;
        }
    }
    return false;
}

/* Numbers are counted on around the end of 32 bits: what is more than half of them ahead is behind.
 */
static void check_event(struct checking *c, event_id id, struct numbered *p)
{
    const struct event *e = trace_at(c->t, id);
    const uint32_t ahead = e->count - p->next;
    if (e->kind == EVENT_PROCESS_START || !p->has_begun || ahead == 0) {
        p->gap_count = e->kind == EVENT_PROCESS_START ? 0 : p->gap_count;
        p->has_begun = true;
        p->next = e->count + 1;
        return;
    }
    if (ahead > UINT32_MAX / 2) {
        bits_add(c->found.is_left_out, id);
        note(c, id, 1,
             is_missing(p, e->count)
                 ? "a report that comes after later ones of its process: left out"
                 : "a report that came before, by its sequence number: left out");
        return;
    }
    bits_add(c->found.is_after_gap, id);
    c->found.gaps++;
    note(c, id, ahead, "a report that is missing, by the sequence numbers of its process");
    p->gaps[p->gap_count % GAPS_KEPT].from = p->next;
    p->gaps[p->gap_count++ % GAPS_KEPT].count = ahead;
    p->next = e->count + 1;
}

struct sequence sequence_build(const struct trace *t, const uint32_t *process_of,
                               uint32_t process_count, struct arena *a, struct notes *n)
{
    struct checking c = {
        .t = t,
        .notes = n,
        .found = {.is_left_out = bits_take(a, t->events.count),
                  .is_after_gap = bits_take(a, t->events.count)},
        .processes = arena_array(a, struct numbered, process_count),
    };
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (has_number(e)) {
            check_event(&c, id, &c.processes[process_of[e->task]]);
        }
    }
    return c.found;
}
