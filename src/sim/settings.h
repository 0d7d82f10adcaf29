/* Bugs and numbers that a user chooses. */
#ifndef CLEW_SIM_SETTINGS_H
#define CLEW_SIM_SETTINGS_H

#include "sim/sim_state.h"

/* Turns on the bugs and sets the numbers of a list "a-bug,nodes=5" (NULL: none), and lets the
 * system adjust itself to them. */
MUST_USE int settings_choose(struct sim *s, const char *list, struct err *e);

#endif
