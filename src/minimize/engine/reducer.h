/* A reducer: the best execution so far, and the state of the search for a better one. */
#ifndef CLEW_MINIMIZE_ENGINE_REDUCER_H
#define CLEW_MINIMIZE_ENGINE_REDUCER_H

#include "base/map.h"
#include "minimize/engine/candidate.h"
#include "minimize/engine/speculation.h"
#include "minimize/minimize.h"

/* A walk may begin with executions up to this length: of longer ones it reaches too few others in
 * reasonable time. */
enum { WALK_STEPS_MAX = 150 };

/* The first best that was short enough for a walk, as a candidate with the seed of the nodes; and
 * in a trial, which walk it is: walks of other numbers go elsewhere. */
struct walk_start {
    struct candidate candidate;
    uint64_t seed;
    uint32_t number;
};

/* The violation that every best shows. */
struct violation {
    char key[sizeof(((struct execution *)0)->key)];
    enum outcome outcome;
    uint16_t node; /* on which it showed */
};

/* The run that is minimized. */
struct first_run {
    VEC(struct step) steps;
    VEC(uint32_t) partner_of; /* its atoms, as in struct reducer */
    struct map transitions;   /* of nodes */
    struct map unignorable;   /* action of unignorable messages to their count */
};

struct reducer {
    struct world *world;
    const struct minimize_options *options;
    struct minimized *result;        /* whose best is the best */
    struct reducer *of;              /* of a trial: the reducer that began it */
    uint64_t told_ns;                /* when progress was last reported */
    struct speculation *speculation; /* NULL: candidates are run here, one after another */
    enum stage stage;
    struct ways ways;
    struct execution tried;
    struct execution again;
    struct execution looked_at;
    uint64_t again_bytes;       /* that its requests carried */
    struct candidate candidate; /* for the stages' use */
    VEC(struct pick_turn) turns;
    VEC(uint32_t) partner_of; /* of each step of the best: the other step of its atom, or itself */
    VEC(bool) is_out;
    struct violation violation;
    struct first_run first;
    struct walk_start walk;
    struct map brought;         /* payloads of some best: shrinking never repeats one */
    struct fault_budget faults; /* that runs of the system may have */
    struct err *e;
    uint32_t best_count;           /* how often there was a new best */
    uint32_t chances[STAGE_COUNT]; /* how often each random stage has run */
    bool is_restart_done;          /* other first executions were looked for */
    bool keeps_pending;            /* of each step of the best */
    bool accepts_equal;            /* an execution with as many steps is better */
    bool is_broken;                /* the world or `better` failed: e says how */
    bool is_over;                  /* stopped, or the budget is spent: the result says by what */
};

/* Runs the plan, whose violation is the one to preserve. Fails when the plan shows none. */
MUST_USE int reducer_begin(struct reducer *r, const struct plan *p);
void reducer_release(struct reducer *r);

/* A trial reports nothing: its best is not the best of all. */
static inline bool reducer_is_trial(const struct reducer *r)
{
    return r->of != NULL;
}

/* How many steps the best has. */
static inline uint32_t reducer_size(const struct reducer *r)
{
    return (uint32_t)r->result->best.steps.count;
}

/* The outermost reducer of a trial: it has the best of all, and the run that is minimized. */
static inline const struct reducer *reducer_of_all(const struct reducer *r)
{
    while (r->of != NULL) {
        r = r->of;
    }
    return r;
}

/* The violation of x is the one to preserve; whether x shows that one. */
void reducer_keep(struct reducer *r, const struct execution *x);
bool reducer_is_same(const struct reducer *r, const struct execution *x);

/* Whether the best is the same in a few more replays, as every claim about it assumes; not asked
 * where it is known that replays differ, and not known where there is no time for it. */
bool reducer_is_steady(struct reducer *r);

/* Steps that were taken, and of each the other step of its atom, or itself. */
struct past {
    const struct step *steps;
    const uint32_t *partner_of;
    uint32_t count;
};

/* Of the best, valid until there is a better one; of the run that is minimized. */
struct past reducer_past(const struct reducer *r);
struct past reducer_first(const struct reducer *r);

/* stage_progress.c */

/* Whether to go on; asks the budget, and reports progress now and then. */
bool reducer_goes_on(struct reducer *r);
void reducer_tell(struct reducer *r); /* reports progress now */

/* Why the current stage did less than it can; why it has nothing to do, which is not noted of a
 * stage that made replays in another round. */
void reducer_note(struct reducer *r, const char *format, ...) PRINTF_LIKE(2, 3);
void reducer_note_idle(struct reducer *r, const char *format, ...) PRINTF_LIKE(2, 3);

/* The system fails at its part of that stage: later notes of the stage are dropped. */
void reducer_note_failure(struct reducer *r, const char *how);

/* Reasons for several stages to do nothing, each noted where it holds: the best has more steps than
 * steps_max, or fewer than steps_min; --no-diverge refuses all other executions. */
bool reducer_is_longer(struct reducer *r, uint32_t steps_max);
bool reducer_is_shorter(struct reducer *r, uint32_t steps_min);
bool reducer_is_bound(struct reducer *r);

#endif
