/* Variables that clew reads itself: `clew explore --watch`. The page says how to come to each;
 * their values are told as if the program had reported them, whenever they are found to have
 * changed. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_WATCHED_VARIABLES_H
#define CLEW_RUNTIME_CONTROL_SCHED_WATCHED_VARIABLES_H

#include "runtime/control/sched/run_control.h"

/* A run begins: nothing was told of any. */
void watch_begin(void);

/* Tells what has changed. To be called when the running task comes to a place, before another may
 * go on: so that what has changed is this task's doing, since it was at the place before. Costs a
 * comparison when nothing is watched. */
void watch_look(const void *place);

#endif
