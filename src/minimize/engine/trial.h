/* Trials: reducers of other executions than the best. */
#ifndef CLEW_MINIMIZE_ENGINE_TRIAL_H
#define CLEW_MINIMIZE_ENGINE_TRIAL_H

#include "minimize/engine/reducer.h"

/* A trial is a reducer of its own, with another execution for its best, and calls neither `better`
 * nor changes r's best until its end, which is true when its best is better: that becomes the best
 * of r. The trial's result must be {0}, and the caller releases it. */
void reducer_begin_trial(struct reducer *trial, struct reducer *r);
bool reducer_end_trial(struct reducer *r, struct reducer *trial);

/* The first execution of a trial: a random run that shows the violation, false when none of
 * runs_max runs does; or that of a candidate, false when it does not show the violation. */
bool reducer_find_another(struct reducer *trial, const struct tail *tail, uint32_t runs_max);
bool reducer_take_another(struct reducer *trial, const struct plan *p, const struct candidate *c);

/* Runs the candidate. True when it shows the violation in at most steps_max steps and is not the
 * best itself: then it is the trial's best, though it may be longer than the best before. */
bool reducer_drift(struct reducer *trial, const struct candidate *c, uint32_t steps_max);

#endif
