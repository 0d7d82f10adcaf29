/* Faults: which can strike, and their effects. */
#ifndef CLEW_SIM_FAULT_H
#define CLEW_SIM_FAULT_H

#include "sim/sim_state.h"

void fault_list(struct sim *s);
void fault_list_outside(struct sim *s); /* the one that is to come from outside, if one is */
bool fault_can_strike(const struct sim *s, uint8_t fault, uint32_t node);
/* The effect of an external fault, as an action. */
uint64_t fault_action(const struct sim *s, uint8_t fault, uint32_t node);
void fault_strike(struct sim *s, const struct pick_operation *o, const struct origin *from);

#endif
