/* Whether a run shows a finding, and at which of its steps.
 *
 *     struct finding_instance at;
 *     if (finding_instance_find(w, &finding, &plan, &at, e) == 0 && at.is_shown) {
 *         ... at.steps[0] ... is one of the two accesses of the race
 *     }
 */
#ifndef CLEW_HUNT_FINDING_INSTANCE_H
#define CLEW_HUNT_FINDING_INSTANCE_H

#include "hunt/finding_places.h"

/* Steps of a run whose order is computed, and of a run that has a trace. */
enum { FINDING_ORDER_STEPS_MAX = 3000, FINDING_TRACE_STEPS_MAX = 20000 };

struct finding_instance {
    bool is_shown;
    uint32_t steps[2]; /* of a race the two accesses, of an atomicity violation the first and the
                          last access of the block */
    size_t count;      /* 0 of a deadlock: its requests are no steps */
};

bool finding_is_race(const struct finding *f);
bool finding_is_atomicity(const struct finding *f);

/* The event of the finding that ends its atomic block: the last of the first event's task; 0: it
 * has no block. */
size_t finding_last_local(const struct finding *f);

/* Whether the two steps of the run can be the first two events of a race, in either order. */
bool finding_is_pair(const struct finding_places *p, const struct execution *x, size_t first,
                     size_t second);

/* Whether the run ends with tasks waiting at all the places of the deadlock. */
bool finding_is_deadlock(const struct finding *f, const struct execution *x);

/* The first block of the atomicity violation that the run interrupts: between its two accesses,
 * each access of another task occurs, and conflicts with one of them. */
struct finding_instance finding_interrupted(const struct finding *f, const struct finding_places *p,
                                            const struct execution *x);

/* Makes the run of the plan and looks whether it shows the finding: of a race, whether nothing but
 * their conflict orders the two accesses (in a run of more than FINDING_ORDER_STEPS_MAX steps,
 * whether they conflict). Fails when the world breaks. */
MUST_USE int finding_instance_find(struct world *w, const struct finding *f, const struct plan *p,
                                   struct finding_instance *at, struct err *e);

#endif
