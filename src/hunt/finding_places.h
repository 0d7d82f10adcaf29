/* Where a finding's events are in runs of a program: the places in its code, recognized by the
 * source location and the kind of the operation, which a recording and a controlled run name alike.
 *
 *     finding_places_learn(&p, finding, &trace, &execution);      after each run, with its trace
 *     finding_places_of(&p, &execution.steps.at[7].operation)     which events that step can be
 */
#ifndef CLEW_HUNT_FINDING_PLACES_H
#define CLEW_HUNT_FINDING_PLACES_H

#include "base/map.h"
#include "trace/finding.h"
#include "world/world.h"

enum { FINDING_EVENTS_MAX = 32 };

/* {0} knows no place. */
struct finding_places {
    struct map of_place; /* place of an operation -> a bit for each event of the finding */
    uint32_t reached;    /* the events that some run has reached */
};

/* Takes note of the places of the run's steps. The trace is of the execution, and sealed. */
void finding_places_learn(struct finding_places *p, const struct finding *f, const struct trace *t,
                          const struct execution *x);
void finding_places_release(struct finding_places *p);

/* A bit for each event of the finding that the operation can be. */
uint32_t finding_places_of(const struct finding_places *p, const struct pick_operation *o);

#endif
