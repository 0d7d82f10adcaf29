/* Searching in several processes: each makes its share of the runs, and what they found is joined
 * in the order of the runs. Systematic searches are not divided: one process makes them, the others
 * sample. */
#ifndef CLEW_EXPLORE_CROWD_H
#define CLEW_EXPLORE_CROWD_H

#include "explore/explore.h"

MUST_USE int crowd_explore(struct world *w, const struct explore_options *o, struct explored *x,
                           struct err *e);

#endif
