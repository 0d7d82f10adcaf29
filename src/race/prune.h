/* Pruning: accesses that show no pair of places which an earlier one does not show as well (after
 * ReX, Huang and Rajagopalan 2017, and chapter 4 of SPIDER's dissertation, with another key).
 *
 * An access is redundant when one of the same task, place, kind and variable came before it in the
 * same surroundings: no event in between releases another task that the earlier access had to come
 * before. So the surroundings change with each event that another task may wait for: a send, a
 * creation, an unlock, a notify; and each handler has its own. (In a plain relation, lock_free.h,
 * without handlers it is enough that the same events of its node come after both.) An access that
 * races with the later one then races with the earlier one; docs/theory/races.md has the proof. */
#ifndef CLEW_RACE_PRUNE_H
#define CLEW_RACE_PRUNE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bits.h"
#include "order/hb.h"
#include "race/access_classes.h"

struct pruned {
    struct bits events; /* accesses that data races can do without */
    uint64_t count;     /* those, and the handlers and tasks in which nothing else is left */
};

/* is_plain: the relation is, and has `after`. */
void prune(struct pruned *p, const struct hb *hb, const struct accesses *a, bool is_plain,
           struct arena *arena);

#endif
