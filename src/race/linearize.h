/* One line of all events that could have been the execution: the list itself where every edge
 * follows it, else the lists of the nodes merged so that sends come before their receives. Within a
 * node the list is kept, so locks, waits and variables see the same as in the list. */
#ifndef CLEW_RACE_LINEARIZE_H
#define CLEW_RACE_LINEARIZE_H

#include "base/arena.h"
#include "order/hb.h"

struct line {
    const event_id *events; /* NULL: the list itself */
    size_t count; /* of events; fewer than the trace has when the nodes block each other */
};

/* Merges the events of the trace of hb, into the arena. O(events + edges). */
struct line line_build(const struct hb *hb, struct arena *a);

static inline event_id line_at(const struct line *l, size_t index)
{
    return l->events == NULL ? (event_id)index : l->events[index];
}

/* Where the events of each task stand in the line, in order. */
struct line_places {
    const uint32_t *at;    /* places, task by task */
    const uint32_t *first; /* per task, and one more: its first in `at` */
};

/* Sorts the line by task, into the arena. O(events). */
struct line_places line_places_build(const struct line *l, const struct trace *t, struct arena *a);

/* How many events of the task stand before this place. O(log events). */
uint32_t line_places_before(const struct line_places *p, uint32_t task, size_t place);

#endif
