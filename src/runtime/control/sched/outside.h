/* What comes from outside of the program: from processes that nobody controls. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_OUTSIDE_H
#define CLEW_RUNTIME_CONTROL_SCHED_OUTSIDE_H

#include <stdbool.h>

/* Nobody can go on but by something from outside: waits for it, as the program would. False when
 * nobody waits for such a thing. */
bool outside_await(void);

/* The first process has ended, and those that it left behind wait for somebody to need them:
 * daemons that nobody is going to talk to any more. */
bool outside_is_pointless(void);

#endif
