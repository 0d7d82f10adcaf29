/* The calls of handlers. */
#ifndef CLEW_SIM_SIM_API_H
#define CLEW_SIM_SIM_API_H

#include "sim/sim_state.h"

extern const struct clew_calls clew_sim_calls;
void calls_begin(struct sim *s); /* this is the system that runs */
struct sim *calls_running(void); /* NULL: none ever was */

#endif
