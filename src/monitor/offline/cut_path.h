/* A path from one cut to another, one report at a time. */
#ifndef CLEW_MONITOR_OFFLINE_CUT_PATH_H
#define CLEW_MONITOR_OFFLINE_CUT_PATH_H

#include "monitor/offline/cuts.h"

/* Finds a cut whose gains sum up to exactly `wanted`, on the path from a cut with less to one with
 * more: up to the union of both, then down. Such a cut exists when no report changes the sum by
 * more than one, unless reports that need each other must be taken together. False then; else
 * `taken` is set. */
struct walk {
    const int64_t *gain; /* per state; both cuts are of states that are not forbidden */
    int64_t wanted;
    const uint32_t *low, *high; /* the cuts, reports taken per process */
};
bool walk_to_sum(const struct cuts *c, const struct walk *w, uint32_t *taken,
                 struct arena *scratch);

/* Whether no report changes its process's gain by more than one, and states are forbidden only
 * until a process is ready for good. Then no cut between two allowed cuts is forbidden. */
bool walk_has_unit_steps(const struct cuts *c, const int64_t *gain);

#endif
