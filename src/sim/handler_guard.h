/* The end of a run: outcomes, signals and endless loops of handlers. */
#ifndef CLEW_SIM_HANDLER_GUARD_H
#define CLEW_SIM_HANDLER_GUARD_H

#include "sim/sim_state.h"

/* The run ends here, with this outcome; does not return. */
_Noreturn void guard_end(struct sim *s, enum outcome outcome, const char *key, const char *format,
                         ...) PRINTF_LIKE(4, 5);
/* Runs the function; true when it returned, false when guard_end or a signal ended it. */
bool guard_run(struct sim *s, void (*run)(struct sim *s));
/* The same for code of the system that is no part of a run: its execution is left as it is, and e
 * says how it failed. */
bool guard_try(struct sim *s, void (*run)(struct sim *s), struct err *e);
/* If the caller runs under guard_run, the run ends here: it does this, such as "ends its thread".
 * Else it returns. */
void guard_quit(const char *what);
/* The same for undefined behaviour in the call that returns to `at`. Where it is no part of a run,
 * the process ends with a message. */
_Noreturn void guard_undefined(const char *what, const void *at);
void guard_open(void);
void guard_close(void);
/* The run goes on: the watchdog restarts. */
void guard_alive(void);

#endif
