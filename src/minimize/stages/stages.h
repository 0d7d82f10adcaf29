/* The stages, and functions that several of them use. */
#ifndef CLEW_MINIMIZE_STAGES_STAGES_H
#define CLEW_MINIMIZE_STAGES_STAGES_H

#include "minimize/engine/reducer.h"
#include "wire/prng.h"

/* Each ends where it can do no more alone, or when the reducer does not go on. */
#define STAGE(id, function, name, meaning) void function##_stage(struct reducer *r);
STAGE_LIST(STAGE)
#undef STAGE

/* All stages of the options but these (a bit each), one after another. */
void stages_run(struct reducer *r, uint32_t left_out);

/* random_stage.c: how many steps a random stage may take without success, more each time; how many
 * runs, few where a run takes milliseconds; a seed, and a strategy, derived from that of the run.
 */
uint64_t chance_steps_max(struct reducer *r);
uint32_t chance_runs_max(const struct reducer *r);
uint64_t chance_seed(const struct reducer *r, uint32_t number);
enum pick_strategy chance_strategy(uint64_t number);

/* splice_windows.c: r's candidate is another echo of the past, if the past is long enough. */
bool splice_windows_are_worth(const struct past *past);
void splice_windows_draw(struct reducer *r, const struct past *past, struct prng *prng);

#endif
