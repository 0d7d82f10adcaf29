/* Explains the failing run of a schedule, by running it and runs beside it:
 *
 *     the interleaving     its steps, each with the line of the source, or of a simulated system
 *                          with the state that the step changed; of a long run, the cause and the
 *                          steps around it
 *     the passing run      the nearest one (hunt/nearest_pass.h), and where it parts
 *     the missing order    two operations that conflict and come in one order here, in the other
 *                          there: both runs are executions, so nothing orders the two
 *     the values           of reads, or of nodes' states at the end, that differ between the two
 */
#ifndef CLEW_HUNT_EXPLAIN_RUN_H
#define CLEW_HUNT_EXPLAIN_RUN_H

#include "base/limit.h"
#include "report/explanation.h"
#include "world/world.h"

enum { EXPLAIN_RUNS_DEFAULT = 2000 };

struct explain_options {
    uint64_t rows_max;         /* steps in the table; 0: all */
    const uint32_t *key_steps; /* steps that are known to be the cause, marked as key rows */
    size_t key_step_count;
    const struct limit *limit; /* of the search for a passing run: its runs and its time */
};

struct explained_run {
    bool is_shown;             /* the schedule could be followed, and the run fails */
    char divergence[300];      /* where the schedule could not be followed; "": it could */
    struct execution failing;  /* the run */
    struct explanation result; /* if is_shown */
    char *passing;             /* the schedule of the nearest passing run; NULL: none is known */
};

/* Runs the schedule and fills *x, which is {0}. Fails on a schedule for another world, and when the
 * world breaks. */
MUST_USE int explain_run(struct world *w, const struct schedule *s, const struct explain_options *o,
                         struct explained_run *x, struct err *e);
void explained_run_release(struct explained_run *x);

#endif
