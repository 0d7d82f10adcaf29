#include "monitor/sequence.h"

#include <inttypes.h>
#include <stdio.h>

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

/* Numbers are counted on around the end of 32 bits: what is more than half of them ahead is behind.
 */
enum sequence_place sequence_take(struct numbered *p, const struct event *e, uint32_t *missing)
{
    if (!has_number(e)) {
        if (e->kind == EVENT_PROCESS_START) {
            *p = (struct numbered){0};
        }
        return SEQUENCE_NEXT;
    }
    const uint32_t ahead = e->count - p->next;
    if (e->kind == EVENT_PROCESS_START || !p->has_begun || ahead == 0) {
        p->gap_count = e->kind == EVENT_PROCESS_START ? 0 : p->gap_count;
        p->has_begun = true;
        p->next = e->count + 1;
        return SEQUENCE_NEXT;
    }
    if (ahead > UINT32_MAX / 2) {
        return is_missing(p, e->count) ? SEQUENCE_LATE : SEQUENCE_REPEATED;
    }
    p->gaps[p->gap_count % SEQUENCE_GAPS_KEPT].from = p->next;
    p->gaps[p->gap_count++ % SEQUENCE_GAPS_KEPT].count = ahead;
    p->next = e->count + 1;
    *missing = ahead;
    return SEQUENCE_GAP;
}

void sequence_note(enum sequence_place place, uint64_t event, uint32_t missing, struct notes *n)
{
    static const char *const texts[] = {
        [SEQUENCE_GAP] = "a report that is missing, by the sequence numbers of its process",
        [SEQUENCE_REPEATED] = "a report that came before, by its sequence number: left out",
        [SEQUENCE_LATE] = "a report that comes after later ones of its process: left out",
    };
    char where[160];
    (void)snprintf(where, sizeof where, "event %" PRIu64, event);
    notes_add_many(n, place == SEQUENCE_GAP ? missing : 1, where, texts[place]);
}

struct sequence sequence_build(const struct trace *t, const uint32_t *process_of,
                               uint32_t process_count, struct arena *a, struct notes *n)
{
    struct sequence found = {.is_left_out = bits_take(a, t->events.count),
                             .is_after_gap = bits_take(a, t->events.count)};
    struct numbered *processes = arena_array(a, struct numbered, process_count);
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        uint32_t missing = 0;
        const enum sequence_place place =
            sequence_take(&processes[process_of[e->task]], e, &missing);
        if (place == SEQUENCE_NEXT) {
            continue;
        }
        sequence_note(place, id, missing, n);
        if (place == SEQUENCE_GAP) {
            bits_add(found.is_after_gap, id);
            found.gaps++;
        } else {
            bits_add(found.is_left_out, id);
        }
    }
    return found;
}
