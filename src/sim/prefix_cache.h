/* Runs of requests that begin alike. */
#ifndef CLEW_SIM_PREFIX_CACHE_H
#define CLEW_SIM_PREFIX_CACHE_H

#include "sim/sim_state.h"

void beginning_open(struct sim *s);
void beginning_close(struct sim *s);
/* The point from which the run can go on, NULL when it must begin at its start. */
const struct point *beginning_find(struct sim *s);
void beginning_resume(struct sim *s, const struct point *point); /* that was found */
void beginning_look(struct sim *s); /* puts a point aside, if it is time */

#endif
