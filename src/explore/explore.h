/* The one search loop: run after run of a world, until the budget ends or nothing is left, keeping
 * the first run of each violation.
 *
 *     struct explored found = {0};
 *     if (explore(world, &options, &found, e) < 0) { ... }
 *     vec_each (&found.violations, v) { ... v->what, v->schedule ... }
 *     explored_release(&found);
 */
#ifndef CLEW_EXPLORE_EXPLORE_H
#define CLEW_EXPLORE_EXPLORE_H

#include <signal.h>

#include "base/limit.h"
#include "base/map.h"
#include "explore/search.h"
#include "world/world.h"

/* Those of pick/, in its order, and those that need to remember whole runs. */
enum explore_strategy {
    EXPLORE_AUTO = PICK_STRATEGY_COUNT,
    EXPLORE_DELAY,
    EXPLORE_DPOR,
    EXPLORE_DIRECTED,
};

const char *explore_strategy_name(int strategy);

/* The progress of a search. */
struct explore_progress {
    uint64_t runs;
    uint64_t steps;
    uint64_t states;          /* distinct, among those looked at */
    uint64_t violation_count; /* distinct */
    uint64_t find_ns;         /* since the last of them; UINT64_MAX: none yet */
    struct world_coverage coverage;
};

struct campaign;

struct explore_options {
    int strategy; /* enum pick_strategy or explore_strategy */
    struct search_options search;
    struct limit budget;
    uint32_t jobs; /* processes that search */
    bool stops_at_violation;
    /* Of a violation at which the search would stop: true when it is known, and the search goes on.
     * NULL: none is. */
    bool (*is_known)(void *context, const struct execution *x);
    void *known_context;
    struct campaign *campaign; /* where all of it is kept; NULL: nowhere */
    /* Called now and then, in the first process alone; not NULL. */
    void (*progress)(void *context, const struct explore_progress *p);
    void *context;
    const volatile sig_atomic_t *is_stopped; /* ends the search once it is not 0; not NULL */
};

/* The first run that showed a violation. */
struct violation {
    char *key;
    char *what;
    char *calls;    /* in which its run ended, of each task a line; "": not known */
    char *schedule; /* its text, which replays it */
    enum outcome outcome;
    enum finding_severity severity;
    uint32_t step_count;
    uint32_t values; /* where in `what` the values of a property begin; 0: nowhere */
    uint64_t run;    /* its number, from 1 */
    uint64_t hash;   /* of the execution */
    uint64_t count;  /* of runs that showed it */
};

/* The results of a search. {0} is none. */
struct explored {
    uint64_t runs;
    uint64_t steps;
    uint64_t states;
    uint64_t limited_runs;              /* that ended at the limit of steps */
    uint64_t classes[PICK_CLASS_COUNT]; /* steps of each */
    uint64_t changed_runs;              /* in which a variable that nodes report changed */
    uint64_t redundant_runs;
    uint32_t shared_words; /* of memory, at which sampling chose: tasks were seen to share them */
    bool is_complete;      /* all executions were seen, up to the order of independent steps: ... */
    uint64_t executions;   /* ... their number, with those of searches that it went on with */
    bool is_stopped;       /* by the user */
    enum world_order order; /* why executions are orders of all steps; FREE: they are not */
    bool has_data_races;    /* a complete search saw some; true too where it did not look */
    bool has_drawn;         /* nodes drew random numbers: a complete search is so for one seed */
    struct world_coverage coverage;
    VEC(struct violation) violations; /* by run */
    VEC(char *) unrepeated; /* keys of those that were not there when their run was made again */
    struct map states_seen; /* that count */
};

/* Searches. Fails when the world breaks. */
MUST_USE int explore(struct world *w, const struct explore_options *o, struct explored *x,
                     struct err *e);
void explored_release(struct explored *x);

#endif
