/* Runs in the account of a reducer: of candidates, and of the schedules made of what they came to.
 * The stages have what is in reduce.h, which is made of this. */
#ifndef CLEW_MINIMIZE_ENGINE_ATTEMPT_H
#define CLEW_MINIMIZE_ENGINE_ATTEMPT_H

#include "minimize/engine/reducer.h"

/* Of so many replays of one plan so many have to show the violation; so many may be in vain. */
uint32_t repeat_runs(const struct reducer *r);
uint32_t repeat_wanted(const struct reducer *r);
uint32_t repeat_misses(const struct reducer *r);

/* Runs the plan as x. Fails when the world does: the reducer is broken. */
MUST_USE int attempt_once(struct reducer *r, const struct plan *p, struct execution *x);

/* What a candidate is run for. */
enum wish { WISH_SAME, WISH_BETTER };

/* Runs the plan as r->tried, unless it is known to be fruitless; true when it comes to what is
 * wished for. Where replays differ it has as many runs as can be in vain, and one more. */
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
