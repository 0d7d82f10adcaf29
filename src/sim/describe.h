/* Operations the way schedules write them. */
#ifndef CLEW_SIM_DESCRIBE_H
#define CLEW_SIM_DESCRIBE_H

#include "sim/sim_state.h"

uint64_t sim_exchanged(struct world *w, const struct pick_operation *o, uint16_t first,
                       uint16_t second);
void sim_describe(struct world *w, const struct pick_operation *o, struct schedule *schedule,
                  struct choice *c);

#endif
