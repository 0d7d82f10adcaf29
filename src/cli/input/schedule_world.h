/* The system that a schedule is for, with what the schedule says of it. */
#ifndef CLEW_CLI_INPUT_SCHEDULE_WORLD_H
#define CLEW_CLI_INPUT_SCHEDULE_WORLD_H

#include "sim/sim.h"
#include "trace/schedule.h"

struct schedule_world {
    const char *schedule;    /* its file, for messages */
    const char *system;      /* the shared object */
    const char *program;     /* what is to be done where that is a program */
    bool shows_output;       /* what it prints goes to standard error; else it is dropped */
    const struct spec *spec; /* as those of struct sim_options */
    const struct fuzz *fuzz;
    const char *fuzz_name;
};

/* Opens it. What fails because of a line of the schedule is told with that line. */
MUST_USE int schedule_world_open(struct world **w, const struct schedule *s,
                                 const struct schedule_world *of, struct err *e);

#endif
