/* A replay of a simulated system in gdb. The system runs in the process of clew, so gdb is started
 * on clew itself, with the schedule; it stops in the handler of the last step, and where the run is
 * broken, in the system's own frame. */
#ifndef CLEW_CLI_VERBS_SYSTEM_DEBUG_H
#define CLEW_CLI_VERBS_SYSTEM_DEBUG_H

#include "base/err.h"
#include "world/world.h"

struct system_debug {
    const char *schedule;
    const char *system;
    const char *spec;     /* NULL: none */
    const char *config;   /* likewise */
    const char *commands; /* that gdb runs at each stop, divided by ';'; NULL: it has a terminal */
    bool is_lenient;
};

/* x is the result of the replay without gdb. Fails when gdb cannot be run. */
MUST_USE int system_debug(const struct system_debug *d, const struct world *w,
                          const struct execution *x, struct err *e);

#endif
