/* Loads the shared object of a system. */
#ifndef CLEW_SIM_LOAD_SYSTEM_H
#define CLEW_SIM_LOAD_SYSTEM_H

#include "sim/sim_state.h"

MUST_USE int load_library(struct sim *s, const char *path, struct err *e);
void load_keep_fresh(struct sim *s); /* its variables, as every run begins with them */
void load_close(struct sim *s);

#endif
