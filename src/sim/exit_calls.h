/* Ends of the process from inside the C library. */
#ifndef CLEW_SIM_EXIT_CALLS_H
#define CLEW_SIM_EXIT_CALLS_H

#include "sim/sim_state.h"

/* Calls of exit() and the like reach guard_quit. */
void quit_watch(void);

#endif
