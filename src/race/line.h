/* One line of all events that could have been the execution: the list itself where every edge
 * follows it, else the lists of the nodes merged so that sends come before their receives. Within a
 * node the list is kept, so locks, waits and variables see the same as in the list. */
#ifndef CLEW_RACE_LINE_H
#define CLEW_RACE_LINE_H

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

#endif
