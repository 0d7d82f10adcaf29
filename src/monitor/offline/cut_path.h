/* From one cut to another, a report at a time. */
#ifndef CLEW_MONITOR_OFFLINE_CUT_PATH_H
#define CLEW_MONITOR_OFFLINE_CUT_PATH_H

#include "monitor/offline/cuts.h"

/* A cut whose gains sum up to exactly `wanted`, on the way from a cut with less to one with more:
 * up from the one to the union of both, and down to the other. When no report changes the sum by
 * more than one there must be one, unless reports that each need the other had to be taken at once.
 * False then; else `taken` is set. */
struct walk {
    const int64_t *gain; /* per state; both cuts are of states that are not forbidden */
    int64_t wanted;
    const uint32_t *low, *high; /* the cuts, reports taken per process */
};
bool walk_to_sum(const struct cuts *c, const struct walk *w, uint32_t *taken,
                 struct arena *scratch);

/* Whether no report changes its process's gain by more than one, and states are forbidden only
 * until a process is ready for good: so that what is between two cuts is not forbidden either. */
bool walk_has_unit_steps(const struct cuts *c, const int64_t *gain);

#endif
