/* Confirms a predicted finding on the real program: runs are steered to where its events meet,
 * until one shows it, or every execution was seen without it.
 *
 *     struct confirmation c = {0};
 *     if (confirm_finding(w, &finding, &options, &c, e) < 0) { ... }
 *     confirmation_release(&c);
 *
 * confirmed   a race: the two accesses stand side by side in a run, in either order; an atomicity
 *             violation: the other task's access comes between; a deadlock: the tasks wait for each
 *             other at the places that were predicted
 * refuted     of a race: a finished search without redundancy saw all executions, and in each of
 *             them something orders the two; only where nothing puts the search in doubt
 * unknown     the budget ended, the places were not reached, or clew cannot say */
#ifndef CLEW_HUNT_CONFIRM_FINDING_H
#define CLEW_HUNT_CONFIRM_FINDING_H

#include "base/limit.h"
#include "hunt/race_orders.h"
#include "trace/finding.h"

enum { CONFIRM_RUNS_DEFAULT = 3000 };

struct confirm_options {
    const struct limit *limit; /* of each finding: its runs; of all: the time */
    uint32_t depth;            /* steps of a run, at most */
    uint64_t seed;
    /* Why a finished search of the world says nothing of every execution; NULL: it does. */
    const char *(*doubt)(void *context);
    void *context;
};

struct confirmation {
    enum finding_status status;
    char reason[400];          /* how it was shown, which order forbids it, or why it is unknown */
    struct race_orders orders; /* the schedules and, where confirmed, the harm */
    uint64_t run_count;
};

MUST_USE int confirm_finding(struct world *w, const struct finding *f,
                             const struct confirm_options *o, struct confirmation *c,
                             struct err *e);
void confirmation_release(struct confirmation *c);

#endif
