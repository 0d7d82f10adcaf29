/* A schedule and the system or program that it is run in, as verbs name them on the command line.
 *
 *     struct schedule_run r = {.session = s, .program = &c->program, .spec = c->spec};
 *     if (schedule_run_open(&r, e) == 0) { ... r.world, r.schedule ... }
 *     schedule_run_close(&r);
 */
#ifndef CLEW_CLI_INPUT_SCHEDULE_RUN_H
#define CLEW_CLI_INPUT_SCHEDULE_RUN_H

#include "base/arena.h"
#include "cli/input/program_command.h"
#include "spec/spec.h"
#include "trace/schedule.h"
#include "world/fuzz.h"

struct schedule_run {
    struct session *session; /* the schedule is its first input; a system its second */
    const struct command_choice *program;
    const char *spec;   /* a file of properties; NULL: none */
    const char *config; /* a file of external events; NULL: none */

    struct schedule schedule;
    struct spec properties;
    struct fuzz fuzz;
    struct world *world;
};

/* Fails, MISUSED where no system is named. schedule_run_close is due either way. */
MUST_USE int schedule_run_open(struct schedule_run *r, struct err *e);
void schedule_run_close(struct schedule_run *r);

/* "clew replay FILE ./system.so", in the arena. */
const char *schedule_run_command(const struct schedule_run *r, struct arena *a);

/* The budget of runs beside it that explain it: the session's, by default EXPLAIN_RUNS_DEFAULT
 * runs, ended by the first Ctrl-C (cli/interrupt.h). */
struct limit schedule_run_budget(const struct schedule_run *r);

#endif
