/* Refuses a system whose description is wrong; counts its parts. */
#ifndef CLEW_SIM_SYSTEM_CHECK_H
#define CLEW_SIM_SYSTEM_CHECK_H

#include "sim/sim_state.h"

MUST_USE int check_version(struct sim *s, struct err *e);
MUST_USE int check_system(struct sim *s, struct err *e);

#endif
