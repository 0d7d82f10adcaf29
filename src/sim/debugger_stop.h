/* Stops for debuggers. */
#ifndef CLEW_SIM_DEBUGGER_STOP_H
#define CLEW_SIM_DEBUGGER_STOP_H

#include "sim/sim_state.h"

void stop_open(void);
void stop_note_step(uint32_t step);
/* The run is broken: a debugger may stop here, before the calls that led there are left. */
void stop_broken(struct sim *s, const char *outcome, const char *what);
void stop_fault(struct sim *s, const char *signal); /* the same in a handler of signals */

#endif
