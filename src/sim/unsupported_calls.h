/* Functions that the simulator does not control. */
#ifndef CLEW_SIM_UNSUPPORTED_CALLS_H
#define CLEW_SIM_UNSUPPORTED_CALLS_H

#include "sim/sim_state.h"

MUST_USE int doubt_library(struct sim *s, struct err *e);
void doubt_close(struct sim *s);

#endif
