/* Replays a violation before its schedule is reported. */
#ifndef CLEW_EXPLORE_CONFIRM_H
#define CLEW_EXPLORE_CONFIRM_H

#include "world/world.h"

/* Replays the schedule of the execution x, writing the trace of the replay into *trace. Where the
 * replay is not the same execution, `difference` (of that size) says where the two first differ, in
 * a sentence; else it is "". Up to four more replays are made to find the place. Fails when the
 * world breaks. */
MUST_USE int repeat_check(struct world *w, const char *schedule, const struct execution *x,
                          struct trace *trace, char *difference, size_t size, struct err *e);

#endif
