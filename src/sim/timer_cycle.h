/* Timers that repeat themselves. */
#ifndef CLEW_SIM_TIMER_CYCLE_H
#define CLEW_SIM_TIMER_CYCLE_H

#include "sim/sim_state.h"

void cycle_begin(struct sim *s);
void cycle_close(struct sim *s);
/* A step is taken, and has been. */
void cycle_before(struct sim *s, const struct pick_operation *o, const struct origin *from);
void cycle_after(struct sim *s, const struct origin *from);
/* Bytes of the disk of the node whose code runs are about to change. */
void cycle_before_save(struct sim *s);

#endif
