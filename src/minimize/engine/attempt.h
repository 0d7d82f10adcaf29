/* Runs that a reducer counts: runs of candidates, and of the schedules made from their executions.
 * The stages call the functions of candidate.h and trial.h, which are built on these. */
#ifndef CLEW_MINIMIZE_ENGINE_ATTEMPT_H
#define CLEW_MINIMIZE_ENGINE_ATTEMPT_H

#include "minimize/engine/reducer.h"

/* Of repeat_runs replays of one plan, repeat_wanted have to show the violation, and repeat_misses
 * may miss it. */
uint32_t repeat_runs(const struct reducer *r);
uint32_t repeat_wanted(const struct reducer *r);
uint32_t repeat_misses(const struct reducer *r);

/* Runs the plan as x. Fails when the world does: the reducer is broken. */
MUST_USE int attempt_once(struct reducer *r, const struct plan *p, struct execution *x);

/* The goal of a run: the same violation, or the same in a better execution. */
enum wish { WISH_SAME, WISH_BETTER };

/* Runs the plan as r->tried, unless a worker knows it to be fruitless. True when it reaches the
 * goal. Where replays differ, the plan has repeat_misses + 1 runs. */
bool attempt(struct reducer *r, const struct plan *p, enum wish wish);
bool attempt_wants(struct reducer *r, const struct candidate *c, enum wish wish);

/* The plan that makes the execution again, step by step; good until the next. That of a candidate,
 * as long as it lives. */
struct plan attempt_plan_of(struct reducer *r, const struct execution *x);
struct plan attempt_plan_of_wants(const struct reducer *r, const struct candidate *c);

/* Whether the schedule made of it shows it often enough; r->again is the last run that did, of
 * whose steps more is known than of a run of wants. */
bool attempt_is_repeatable(struct reducer *r, const struct execution *x);

#endif
