/* The nearest passing run of a failing one: the execution that takes the same first steps as long
 * as possible, then another step, and passes.
 *
 *     struct nearest_pass n = {0};
 *     if (nearest_pass_find(w, &plan, &failing, &limit, &n, e) < 0) { ... }
 *     if (n.is_found) { ... n.run.steps, which part from the failing ones at n.step ... }
 *     nearest_pass_release(&n);
 *
 * From the last step of the failing run backwards, each other operation that was pending there is
 * taken in its place; the rest of the run is in default order, then once by partial order sampling.
 * Of the last 100 steps each is tried, before them every few, and the distance to the first that
 * passes is halved then: the run has the longest common beginning among those tried. */
#ifndef CLEW_HUNT_NEAREST_PASS_H
#define CLEW_HUNT_NEAREST_PASS_H

#include "base/limit.h"
#include "world/world.h"

struct nearest_pass {
    bool is_found;
    bool is_cut;          /* the limit ended the search, and none was found */
    uint64_t run_count;   /* runs made */
    uint32_t step;        /* where it parts, from 0 */
    struct execution run; /* the passing run; the last one that the world made */
};

/* `failing` has its pending operations (plan.wants_pending); `plan` is the one that it ran under.
 * Fails when the world breaks. */
MUST_USE int nearest_pass_find(struct world *w, const struct plan *plan,
                               const struct execution *failing, const struct limit *limit,
                               struct nearest_pass *n, struct err *e);
void nearest_pass_release(struct nearest_pass *n);

#endif
