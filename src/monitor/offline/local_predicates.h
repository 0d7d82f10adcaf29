/* Local predicates: the states in which the literals of a clause over one process hold, certainly
 * and possibly. A variable that is never reported may have any value. */
#ifndef CLEW_MONITOR_OFFLINE_LOCAL_PREDICATES_H
#define CLEW_MONITOR_OFFLINE_LOCAL_PREDICATES_H

#include "monitor/offline/clause.h"

struct local_predicates {
    uint8_t *certain;  /* per state */
    uint8_t *possible; /* per state */
    bool is_known;     /* both are the same */
};

struct local_predicates local_predicates_build(struct state_history *h, const struct clause *clause,
                                               struct arena *a);

/* Per state, the sum of the terms of its process, negated for "at most" so that more is better. The
 * sum is taken at the worst possible value (forbidden where it is unbounded) or at the best. Where
 * the sum must be exact, an unknown value is forbidden. */
struct gains {
    int64_t *at;
    bool is_known;     /* every variable it reads is reported at some time */
    bool is_too_large; /* the numbers overflow */
};

enum gains_view { GAINS_WORST, GAINS_BEST };

/* States that `permitted` excludes are forbidden. */
struct gains gains_build(struct state_history *h, const struct linear *l, const uint8_t *permitted,
                         enum gains_view view, struct arena *a);

/* Whether no sum of possible values of the terms, in any order, overflows. */
bool gains_fit(struct state_history *h, const struct linear *l);

/* The weighted sum of both; a state that one of them forbids is forbidden. */
struct gains gains_blend(const struct state_history *h, const struct gains both[2],
                         const int64_t weight[2], struct arena *a);

#endif
