/* A watchdog over runs that come to no scheduling point.
 *
 * A task that spins on memory in code that clew cc did not build, or in inline assembly, never says
 * what it is about to do, so nobody else would run. A timer of the process's processor time
 * interrupts it: while others could go on, it is preempted where it is, as if it had yielded. How
 * far it comes before that depends on the machine, so no search over such runs is exhaustive.
 *
 * clew sends the same signal, SIGSTKFLT, to a run that takes too long: the run then tells where
 * each of its tasks stands, and ends. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_WATCHDOG_H
#define CLEW_RUNTIME_CONTROL_SCHED_WATCHDOG_H

#include <signal.h>

enum { WATCHDOG_SIGNAL = SIGSTKFLT };

/* The calling process will make runs: the timer is started. */
void watchdog_start(void);

#endif
