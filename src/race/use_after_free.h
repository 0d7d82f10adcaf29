/* Uses after free: accesses to a block of memory that another schedule puts behind its free.
 *
 *     T1  lock m  write b  unlock m
 *     T2                            lock m  free b  unlock m        a finding: T2 may be first
 *
 * No race is needed: a common lock keeps the access and the free apart, but does not order them. An
 * access comes after the free in some execution when a prefix holds the free, but not the access,
 * and the access can come next (race/feasible/feasible.h); every read before it sees its write, so
 * that cleared pointers, reference counts and queues order the two. If the same two places race,
 * the race itself is reported with this kind. */
#ifndef CLEW_RACE_USE_AFTER_FREE_H
#define CLEW_RACE_USE_AFTER_FREE_H

#include "base/err.h"
#include "base/notes.h"
#include "order/hb.h"
#include "race/access_classes.h"
#include "race/groups.h"
#include "trace/finding.h"

/* The free that the write belongs to: a recorder writes to the words of a block that other tasks
 * have used, then frees it. EVENT_NONE: it is a write of the program. */
event_id use_free_of(const struct hb *hb, event_id write);

struct use_input {
    struct hb *hb; /* strict; for a recording its reads are set meanwhile */
    const struct accesses *accesses;
};

/* Finds them, one for each pair of places, adds them to the findings and counts them; undecided
 * ones count as open. O(events) if every block is used by the task that frees it only. / */
MUST_USE int use_find(struct race_groups *y, const struct use_input *in, struct findings *f,
                      struct err *e);

/* Counts the races that are uses after free apart from the others. */
void use_count_races(struct race_groups *y, const struct hb *hb);

#endif
