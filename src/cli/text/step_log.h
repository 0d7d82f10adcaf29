/* A run of a simulated system as a log: of each step a line with its number, the node's clock, the
 * node and the operation, and below it the node's operations and changes.
 *
 *     step  clock  node  operation
 *        1      0  n2    message n1>n2/vote#1: term 3
 *                        sends n2>n1/voted#1: term 3
 *                        n2: follower term=3 (was 2)
 */
#ifndef CLEW_CLI_TEXT_STEP_LOG_H
#define CLEW_CLI_TEXT_STEP_LOG_H

#include "cli/session.h"
#include "world/world.h"

/* Takes the steps of x again, one by one, under the plan, which must lead there, and prints them.
 * The world must be a simulated system. */
void step_log(struct session *s, struct world *w, const struct execution *x, const struct plan *p);

#endif
