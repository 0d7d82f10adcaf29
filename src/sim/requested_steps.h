/* Runs whose steps are requested one by one. */
#ifndef CLEW_SIM_REQUESTED_STEPS_H
#define CLEW_SIM_REQUESTED_STEPS_H

#include "sim/sim_state.h"

void wanted_open(struct sim *s);
void wanted_close(struct sim *s);
bool wanted_is_enough(const struct sim *s); /* only requested operations are listed in this run */
int wanted_choose(struct sim *s);           /* fills pending with it; as pick_choose says */
/* Whether it may matter who rests when a timer of this node, which is about to, has fired. */
bool wanted_minds_rest(struct sim *s, uint32_t firing_node);

#endif
