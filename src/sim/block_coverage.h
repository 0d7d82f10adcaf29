/* Blocks of code that were entered. */
#ifndef CLEW_SIM_BLOCK_COVERAGE_H
#define CLEW_SIM_BLOCK_COVERAGE_H

#include "sim/sim_state.h"

void cover_open(struct sim *s, const struct clew_counters *counters);
void cover_close(struct sim *s);
uint32_t cover_block_max(const struct sim *s); /* numbers are below */
void cover_call(struct sim *s, uint64_t address);
void cover_forget(struct sim *s); /* blocks that were entered and not taken */
/* Those since the last time, by code of this node (SIM_NODES_MAX: of some); how many. Good until
 * the next is entered. */
uint32_t cover_take(struct sim *s, uint32_t node, const struct pick_block **blocks);
void cover_keep(const struct sim *s, struct execution *x); /* the blocks of this run */
struct world_coverage cover_total(const struct sim *s);
uint32_t cover_blocks(struct world *w, const struct world_block **blocks);

#endif
