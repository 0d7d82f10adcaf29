/* In which states the literals of a clause that are about one process hold: certainly, and
 * possibly, given that what is never reported may be anything. */
#ifndef CLEW_MONITOR_OFFLINE_LOCAL_PREDICATES_H
#define CLEW_MONITOR_OFFLINE_LOCAL_PREDICATES_H

#include "monitor/offline/clause.h"

struct local_predicates {
    uint8_t *certain;  /* per state */
    uint8_t *possible; /* per state */
    bool is_known;     /* they are the same */
};

struct local_predicates local_predicates_build(struct state_history *h, const struct clause *clause,
                                               struct arena *a);

/* Per state, what the terms of its process sum up to, times -1 for "at most" so that more is
 * better: at the worst of what is possible (forbidden where there is no bound), or at the best.
 * Where the sum must be exact, what is not known is forbidden. */
struct gains {
    int64_t *at;
    bool is_known;     /* all it reads is reported some time */
    bool is_too_large; /* the numbers are no good */
};

enum gains_view { GAINS_WORST, GAINS_BEST };

/* States that `permitted` excludes are forbidden. */
struct gains gains_build(struct state_history *h, const struct linear *l, const uint8_t *permitted,
                         enum gains_view view, struct arena *a);

/* Whether nothing that the terms can be, added up in any order, is too large for a number. */
bool gains_fit(struct state_history *h, const struct linear *l);

/* Both together, each as many times as its weight; what one of them forbids is forbidden. */
struct gains gains_blend(const struct state_history *h, const struct gains both[2],
                         const int64_t weight[2], struct arena *a);

#endif
