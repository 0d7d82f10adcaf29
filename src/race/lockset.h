/* The lockset of each event: the critical sections that are open there. */
#ifndef CLEW_RACE_LOCKSET_H
#define CLEW_RACE_LOCKSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "order/hb.h"

/* Sets of sections, as slices; set 0 is empty. */
struct held {
    const uint32_t *set_of; /* per event: the set open there */
    const uint32_t *first;  /* per set, and one more */
    const uint32_t *sections;
};

enum held_locks { HELD_CONTENDED, HELD_ALL };

/* Of all locks, or of those that two tasks contend for. O(events + sizes of all sets). */
void held_build(struct held *h, const struct hb *hb, enum held_locks locks, struct arena *a);

/* True when the events are in sections that exclude each other, so that they are never side by
 * side. */
bool held_excludes(const struct held *h, const struct hb *hb, event_id a, event_id b);

#endif
