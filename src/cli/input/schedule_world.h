/* The system that a schedule is for, with the settings of the schedule. */
#ifndef CLEW_CLI_INPUT_SCHEDULE_WORLD_H
#define CLEW_CLI_INPUT_SCHEDULE_WORLD_H

#include "sim/sim.h"
#include "trace/schedule.h"

struct schedule_world {
    const char *schedule;    /* its file, for messages */
    const char *system;      /* the shared object */
    const char *program;     /* options for a program */
    bool shows_output;       /* its output goes to standard error; else it is dropped */
    const struct spec *spec; /* as those of struct sim_options */
    const struct fuzz *fuzz;
    const char *fuzz_name;
};

/* Opens it. The error names the line of the schedule that caused it. */
MUST_USE int schedule_world_open(struct world **w, const struct schedule *s,
                                 const struct schedule_world *of, struct err *e);

#endif
