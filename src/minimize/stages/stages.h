/* The stages, and functions that several of them use. */
#ifndef CLEW_MINIMIZE_STAGES_STAGES_H
#define CLEW_MINIMIZE_STAGES_STAGES_H

#include "minimize/engine/reducer.h"
#include "wire/prng.h"

/* Each ends where it can do no more alone, or when the reducer does not go on. */
void provenance_stage(struct reducer *r);
void context_switches_stage(struct reducer *r);
void externals_stage(struct reducer *r);
void shortcuts_stage(struct reducer *r);
void reactions_stage(struct reducer *r);
void splice_windows_stage(struct reducer *r);
void clock_clusters_stage(struct reducer *r);
void cones_stage(struct reducer *r);
void chunks_stage(struct reducer *r);
void per_node_stage(struct reducer *r);
void random_suffix_stage(struct reducer *r);
void singles_stage(struct reducer *r);
void pairs_stage(struct reducer *r);
void equivalent_steps_stage(struct reducer *r);
void move_step_stage(struct reducer *r);
void payload_shrink_stage(struct reducer *r);
void restart_stage(struct reducer *r);
void node_renaming_stage(struct reducer *r);
void seeds_stage(struct reducer *r);
void insert_then_remove_stage(struct reducer *r);
void random_walk_stage(struct reducer *r);
void exact_stage(struct reducer *r);

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
