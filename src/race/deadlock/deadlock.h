/* Predicted deadlocks: tasks that could each wait for a lock that the next one holds.
 *
 * docs/theory/races-semantics.md defines deadlocks under each model; docs/theory/races.md has the
 * algorithm. Cycles through the same places are one finding. */
#ifndef CLEW_RACE_DEADLOCK_DEADLOCK_H
#define CLEW_RACE_DEADLOCK_DEADLOCK_H

#include "base/notes.h"
#include "order/hb.h"
#include "race/deadlock/lock_cycle.h"
#include "race/groups.h"
#include "trace/finding.h"

/* Cycles at the same places. */
struct deadlock {
    struct lock_cycle cycle; /* the cycle that is reported: a proved one, else a shortest one */
    uint64_t cycle_count;
    uint64_t open_count; /* of the cycles: not known to be out of reach */
    enum finding_grade grade;
    bool is_infeasible; /* no prefix in which each read sees its write reaches any of its cycles */
    const uint64_t *witness;
    size_t witness_count;
};

/* Finds the deadlocks of the trace of hb, which was built with HB_STRICT, as the options want, and
 * adds them to findings, counts and notes. For a recording hb->reads is set meanwhile. O(sections)
 * where the lock order has no cycle. */
MUST_USE int deadlock_find(struct race_groups *y, struct hb *hb, struct findings *f,
                           struct notes *n, struct err *e);

/* Adds the finding. */
void deadlock_report(const struct race_groups *y, const struct lock_cycles *c,
                     const struct deadlock *d, struct findings *f);

#endif
