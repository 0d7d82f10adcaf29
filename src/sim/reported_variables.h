/* Variables that nodes report. */
#ifndef CLEW_SIM_REPORTED_VARIABLES_H
#define CLEW_SIM_REPORTED_VARIABLES_H

#include "sim/sim_state.h"

/* Fails when a property or a wait names a variable that no run has reported and no run can: none
 * that its shared object has as a text; `is_last`: no run will come that could. */
MUST_USE int reported_check(const struct sim *s, bool is_last, struct err *e);

#endif
