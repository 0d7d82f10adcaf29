/* The best execution of a reducer, and how another takes its place. */
#ifndef CLEW_MINIMIZE_ENGINE_BEST_RUN_H
#define CLEW_MINIMIZE_ENGINE_BEST_RUN_H

#include "minimize/engine/reducer.h"

/* Whether x, which shows the violation, is better. */
bool best_is_beaten_by(const struct reducer *r, const struct execution *x);

/* x becomes the best, and the best x. The caller's `better` is called. */
void best_replace(struct reducer *r, struct execution *x, uint64_t bytes);

/* r->tried, which shows the violation, becomes the best if it is better and shows the violation
 * every time. */
bool best_offer(struct reducer *r);

/* There is a new best: computes its atoms and counts, and calls `better`. */
void best_tell(struct reducer *r);

/* Faults that the best does not need are not even offered any more. */
void best_count_faults(struct reducer *r);

#endif
