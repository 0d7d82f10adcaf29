/* Where a debugger stops in a controlled program: `clew replay --gdb`. The page has the list of
 * stops with what is said at each; without one, all this costs a comparison. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_GDB_STOPS_H
#define CLEW_RUNTIME_CONTROL_SCHED_GDB_STOPS_H

#include <stdint.h>

#include "runtime/control/sched/run_control.h"

/* The process was started by a debugger: its standard streams become those of a replay, and what
 * the debugger left open is closed. */
void stop_start(void);

/* The calling thread runs this task: the debugger shows it by its path. */
void stop_name(const struct task *t);

/* The step of this number was chosen, and the caller is about to take it. */
void stop_step(uint64_t number, const void *place);

/* The program has told what is report number so much. */
void stop_report(uint64_t number, const void *place);

/* The run ends; `stack` is where, as far as known, innermost first. */ /* The run ends. */
void stop_end(enum control_end end, const void *place);

#endif
