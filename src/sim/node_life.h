/* Handlers of nodes, their end and their new beginning. */
#ifndef CLEW_SIM_NODE_LIFE_H
#define CLEW_SIM_NODE_LIFE_H

#include "sim/sim_state.h"

void node_start(struct sim *s, uint32_t node, bool is_again);
void node_deliver(struct sim *s, struct parcel *p);
void node_fire(struct sim *s, uint32_t node, uint32_t timer);
void node_written(struct sim *s, uint32_t node);
void node_crash(struct sim *s, uint32_t node, uint32_t writes_reached);
void node_help(struct sim *s, uint32_t node, struct help *h);
uint64_t node_clock_latest(const struct sim *s); /* of all */

#endif
