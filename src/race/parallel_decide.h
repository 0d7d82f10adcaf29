/* Shares the deciding of candidates among processes (-j): each takes every n-th candidate, and the
 * results are merged as if one process had decided all. */
#ifndef CLEW_RACE_PARALLEL_DECIDE_H
#define CLEW_RACE_PARALLEL_DECIDE_H

#include "base/err.h"
#include "race/groups.h"

/* Decides the candidates whose turn it is in the groups it is given. */
typedef int (*share_fn)(void *context, struct race_groups *y, struct err *e);

/* Has the work done by as many processes as the options want; by this one where somebody wants to
 * hear of each candidate, or the order in which they are decided shows. */
MUST_USE int share_run(struct race_groups *y, share_fn work, void *context, struct err *e);

#endif
