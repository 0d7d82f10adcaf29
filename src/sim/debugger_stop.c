/* The debugger's view of a run: the number of the step that is being taken, and a function with a
 * breakpoint on it that is called where the run is broken, while the calls that led there stand
 * (cli/verbs/system_debug.h). */
#include "sim/debugger_stop.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/backtrace.h"
#include "sim/state_hash.h"

/* gdb finds these by name, with or without debug information. */
uint32_t clew_step_now;
char clew_stop_text[600];
uintptr_t
    clew_stop_place; /* the instruction that the system's innermost call returns to; 0: none */
void clew_stop_here(void);

__attribute__((noinline)) void clew_stop_here(void)
{
    __asm__ volatile("" ::: "memory");
}

static bool is_debugged; /* by the environment, from the first system on */

void stop_open(void)
{
    is_debugged = getenv(SIM_DEBUG_VARIABLE) != NULL;
}

void stop_note_step(uint32_t step)
{
    clew_step_now = step;
}

static void stop(const struct sim *s, bool is_handler, const char *outcome, const char *what)
{
    if (is_debugged) {
        backtrace_take(0);
        clew_stop_place = backtrace_first(s, is_handler);
        (void)snprintf(clew_stop_text, sizeof clew_stop_text, "%s: %s", outcome, what);
        clew_stop_here();
    }
}

void stop_broken(struct sim *s, const char *outcome, const char *what)
{
    stop(s, false, outcome, what);
}

void stop_fault(struct sim *s, const char *signal)
{
    stop(s, true, "fault", signal);
}
