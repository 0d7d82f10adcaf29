/* The strict engine: decides candidates by the rules of docs/theory/races-semantics.md, exactly.
 *
 * It asks first whether one event must come before the other (clocks, and the order that locks and
 * handlers force), then whether both hold a common lock. If a choice remains, it tries to build an
 * order from the list (reorder.h), and only then asks a solver. */
#ifndef CLEW_RACE_STRICT_STRICT_H
#define CLEW_RACE_STRICT_STRICT_H

#include "base/map.h"
#include "order/hb.h"
#include "race/class_locksets.h"
#include "race/decider.h"
#include "race/lockset.h"
#include "race/race.h"
#include "race/strict/lock_spans.h"
#include "race/strict/reorder.h"
#include "race/strict/solver_query.h"

struct strict {
    struct race_groups *y; /* counts the questions, and has the budget */
    struct hb hb;          /* saturated */
    bool is_plain;         /* nothing is left to choose, see plain.h */

    /* Built only if needed. */
    struct held held;
    bool list_is_allowed; /* and then there is: */
    struct reorder reorder;
    bool has_class_locks;
    struct class_locks class_locks;
    bool has_spans; /* lock spans can be counted: */
    struct lock_spans spans;
    bool is_open; /* a solver was needed: */
    struct query query;
    struct map gap_of;  /* properties that decide a question, to a small number */
    struct map answers; /* (number, number) to a verdict */
    bool has_order;     /* some order is allowed; else nothing can be decided */
    /* Decides about accesses in routines of one-time initializations; NULL until it is needed. */
    struct strict *fixed;
    bool cannot_fix;
    struct arena arena;
};

/* Builds the tables for deciding; the groups must live as long. Fails if a user-supplied order
 * names an event that does not exist. */
MUST_USE int strict_build(struct strict *s, struct race_groups *y, struct notes *n, struct err *e);
void strict_release(struct strict *s);

/* Learns which classes of the accesses locks keep apart, for strict_judge. The accesses must
 * outlive s. O(accesses * locks held), once something is left to choose; else nothing. */
void strict_read_classes(struct strict *s, const struct accesses *a);

/* Decides for this groups from now on. */
void strict_serve(struct strict *s, struct race_groups *y);

/* -1 with the reason when a question could not be written to the folder the options name. */
MUST_USE int strict_written(const struct strict *s, struct err *e);

/* Decides one by one. */
struct judge strict_judge(struct strict *s);

#endif
