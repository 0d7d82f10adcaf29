/* The calls in which a run ended. `take` keeps those of its caller, or of the instruction that a
 * signal interrupted, and is safe in a handler of signals; `take_from` leaves out those within the
 * call that returns to `at`. */
#ifndef CLEW_SIM_BACKTRACE_H
#define CLEW_SIM_BACKTRACE_H

#include "sim/sim_state.h"

void backtrace_take(uint64_t interrupted);
void backtrace_take_from(const void *at);
/* The address that the innermost of the system's own calls returns to; 0: none was taken. A handler
 * of signals has too small a stack to look at debug information. */
uintptr_t backtrace_first(const struct sim *s, bool is_handler);
/* Where the system's own code is on those that were taken; notes them as the run's. */
const char *backtrace_places(struct sim *s);
/* Takes the caller's calls as the run's; those of a key that is known are not taken again. */
void backtrace_note(struct sim *s, const char *key);
void backtrace_close(struct sim *s);

#endif
