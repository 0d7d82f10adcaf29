/* Runs that return to a state. */
#ifndef CLEW_SIM_LIVENESS_LOOP_H
#define CLEW_SIM_LIVENESS_LOOP_H

#include "sim/sim_state.h"

void loop_open(struct sim *s);
void loop_close(struct sim *s);
void loop_begin(struct sim *s);
void loop_look(struct sim *s);       /* after a step, with the list of pending operations */
void loop_look_again(struct sim *s); /* the run ends here: at more loops than usual */

#endif
