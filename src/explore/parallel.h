/* Searching in several processes: of N processes, the k-th makes every N-th run from the k-th on,
 * and their findings are joined in the order of the runs. With a budget of runs, strategies whose
 * runs depend on their number alone (random, pos) find the same with any N; strategies that learn
 * from run to run learn from the runs of their own process, and find the same whenever N is the
 * same. Systematic searches are not divided: one process makes them, the others sample. */
#ifndef CLEW_EXPLORE_PARALLEL_H
#define CLEW_EXPLORE_PARALLEL_H

#include "explore/explore.h"

MUST_USE int parallel_explore(struct world *w, const struct explore_options *o, struct explored *x,
                              struct err *e);

/* The result of one process as bytes, and what the others take from them: fails where they are too
 * few. */
void parallel_tell(const struct explored *x, struct out *result);
MUST_USE int parallel_take(struct explored *x, const char *bytes, size_t size, struct err *e);

#endif
