/* Nodes that wait for one message. */
#ifndef CLEW_SIM_BLOCKING_H
#define CLEW_SIM_BLOCKING_H

#include "sim/sim_state.h"

bool block_is_awaited(const struct sim *s, const struct parcel *p); /* by a node that is blocked */
void block_check(struct sim *s); /* at rest: a deadlock if a node is blocked */

#endif
