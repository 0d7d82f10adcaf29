/* Relevant events as a formula for a solver: an integer for each event, its position in a prefix,
 * and one for the end of the prefix; events after the end are left out. */
#ifndef CLEW_RACE_FEASIBLE_FEASIBLE_SMT_H
#define CLEW_RACE_FEASIBLE_FEASIBLE_SMT_H

#include "race/feasible/relevant_events.h"
#include "solve/problem.h"

struct prefix {
    const struct relevant_events *relevant;
    const struct hb
        *musts; /* needed before needed, for events that the window leaves aside; NULL */
    struct problem problem;
    uint32_t *variable; /* per event of the trace: its variable, if it is in the relevant */
    uint32_t end;       /* the variable of the end */
};

/* For scenes of traces with this many events. */
void prefix_init(struct prefix *p, size_t event_count);
void prefix_release(struct prefix *p);

/* Writes the constraints on the widened relevant events; false if they take more than clause_max
 * clauses. O(clauses): pairs of sections of a lock, of handlers of a task, of reads and writes of a
 * variable. */
MUST_USE bool prefix_build(struct prefix *p, const struct relevant_events *s, size_t clause_max);

/* Fills the order with the events that the model puts before the end. */
void prefix_order(const struct prefix *p, const int64_t *model, sound_order *order);

#endif
