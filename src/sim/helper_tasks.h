/* Tasks beside a node's own. */
#ifndef CLEW_SIM_HELPER_TASKS_H
#define CLEW_SIM_HELPER_TASKS_H

#include "sim/sim_state.h"

void help_start(struct sim *s, uint32_t node, const struct help *what, const void *bytes);
void help_end(struct sim *s, struct node *n, struct help *h);
void help_list(struct sim *s);

#endif
