/* What the stages share: the best execution so far, and a way to try another. */
#ifndef CLEW_MINIMIZE_ENGINE_REDUCER_H
#define CLEW_MINIMIZE_ENGINE_REDUCER_H

#include "base/map.h"
#include "minimize/engine/speculation.h"
#include "minimize/minimize.h"
#include "wire/prng.h"

/* Operations that are wanted, one after another. */
struct candidate {
    VEC(struct pick_want) wants;
    uint32_t wants_kept; /* the first so many are those of the next candidates too */
};

/* How steps are found again in a run in which others are missing: what is tried, in this order. */
enum { WAYS_MAX = 4 };
struct ways {
    enum pick_match at[WAYS_MAX];
    uint32_t count;
};

/* Of an execution that a walk may begin with: of longer ones too little is tried in reasonable
 * time.
 */
enum { WALK_STEPS_MAX = 150 };

/* An execution to begin with again: what is wanted, and the seed of the nodes. */
struct start {
    struct candidate candidate;
    uint64_t seed;
};

struct reducer {
    struct world *world;
    const struct minimize_options *options;
    struct minimized *result;        /* whose best is the best */
    struct reducer *of;              /* of a trial: whose it is */
    uint64_t told_ns;                /* when it was last said how far it is */
    struct speculation *speculation; /* NULL: candidates are run here, one after another */
    enum stage stage;
    struct ways ways;
    struct execution tried;
    struct execution again;
    struct execution looked_at;
    uint64_t again_bytes;       /* that its requests brought */
    struct candidate candidate; /* for the stages' use */
    VEC(struct pick_turn) turns;
    VEC(uint32_t) partner_of; /* of each step of the best: the other step of its atom, or itself */
    VEC(bool) is_out;
    char key[sizeof(((struct execution *)0)->key)]; /* of the violation ... */
    enum outcome outcome;
    uint16_t node;                  /* ... and where it showed */
    VEC(struct step) first;         /* the run that is minimized ... */
    VEC(uint32_t) first_partner_of; /* ... and its atoms */
    struct start walked_from;       /* the first best that was short enough for a walk */
    uint32_t walk_number;           /* of a trial: walks of other numbers go elsewhere */
    struct map transitions;         /* of nodes, in the first run */
    struct map brought;             /* by requests in some best: shrinking never goes round */
    struct map unignorable;     /* what may not be ignored to how often it came in the first run */
    struct fault_budget faults; /* that runs of the system may have */
    struct err *e;
    uint32_t best_count;           /* how often there was a new best */
    uint32_t chances[STAGE_COUNT]; /* how often each stage that tries its luck has done so */
    bool is_anew_done;             /* other runs were looked for */
    bool is_trial;                 /* nobody is told: it is not the best of all */
    bool keeps_pending;            /* of each step of the best */
    bool accepts_equal;            /* one with as many steps is better, for what it brings */
    bool is_broken;                /* the world or `better` failed: e says how */
    bool is_over;                  /* stopped, or the budget is spent: the result says by what */
};

/* Runs the plan: what it shows is what is to be kept. Fails when that is no violation. */
MUST_USE int reducer_begin(struct reducer *r, const struct plan *p);
void reducer_release(struct reducer *r);

/* How many steps the best has. */
static inline uint32_t reducer_size(const struct reducer *r)
{
    return (uint32_t)r->result->best.steps.count;
}

/* Of a trial whose it is, or whose that is: it has the best of all, and the run that is minimized.
 */
static inline const struct reducer *reducer_of_all(const struct reducer *r)
{
    while (r->of != NULL) {
        r = r->of;
    }
    return r;
}

/* What x shows is what is to be kept; whether it shows that. */
void reducer_keep(struct reducer *r, const struct execution *x);
bool reducer_is_same(const struct reducer *r, const struct execution *x);

/* Says how far it is, to whoever shows it. */
void reducer_tell(struct reducer *r);

/* Why the stage whose turn it is does not do what it can. */
void reducer_note(struct reducer *r, const char *format, ...) PRINTF_LIKE(2, 3);

/* Why it has nothing to do; not noted of a stage that had, and made replays, in another round. */
void reducer_note_idle(struct reducer *r, const char *format, ...) PRINTF_LIKE(2, 3);

/* The system fails at its part of that stage: nothing else is said of it any more. */
void reducer_note_failure(struct reducer *r, const char *how);

/* Reasons that several have to do nothing, each noted where it holds: the best has more steps than
 * that, or fewer; what looks for other executions is in vain, for nodes may not change otherwise.
 */
bool reducer_is_longer(struct reducer *r, uint32_t steps_max);
bool reducer_is_shorter(struct reducer *r, uint32_t steps_min);
bool reducer_is_bound(struct reducer *r);

/* Whether to go on; asks the budget, and says how far it is now and then. */
bool reducer_goes_on(struct reducer *r);

/* Whether step `index` of the best may be left out. */
bool reducer_may_go(const struct reducer *r, uint32_t index);

/* Step `index` of the best, or any operation, as something wanted. */
struct pick_want reducer_want(const struct reducer *r, uint32_t index, enum pick_match match);
struct pick_want reducer_want_of(const struct pick_operation *o, enum pick_match match);

/* Steps that were taken, and of each the other step of its atom, or itself. */
struct past {
    const struct step *steps;
    const uint32_t *partner_of;
    uint32_t count;
};

/* Of the best, good until there is a better one; of the run that is minimized, of a trial that of
 * whose it is. */
struct past reducer_past(const struct reducer *r);
struct past reducer_first(const struct reducer *r);

/* Runs what is wanted. True when it is better than the best: the same violation with fewer steps,
 * or as many and fewer from outside. Then it is the best, and steps have other numbers. */
bool reducer_try(struct reducer *r, const struct candidate *c);

/* Runs what is wanted. True when the violation shows, better or not; what is better becomes the
 * best. */
bool reducer_shows(struct reducer *r, const struct candidate *c);

/* The first `cut` steps of the best, and then what the strategy chooses, so many steps in all. */
struct tail {
    uint32_t cut;
    uint32_t steps_max;
    enum pick_strategy strategy;
    uint64_t seed;           /* of the strategy and the nodes */
    uint32_t externals_max;  /* in the whole run; 0: any number */
    bool has_rare_timers;    /* chance takes few of them */
    const uint64_t *actions; /* in ascending order, what may be chosen; NULL: anything */
    size_t action_count;
};
bool reducer_try_tail(struct reducer *r, const struct tail *tail);

/* In a world of tasks: the default, but for these turns. Runs it as a candidate; or looks at it
 * with what was pending at each step, which is false when it cannot be run. */
bool reducer_try_turns(struct reducer *r, const struct pick_turn *turns, uint32_t count);
bool reducer_look_turns(struct reducer *r, const struct pick_turn *turns, uint32_t count,
                        struct execution *x);

/* A trial is a reducer of its own, with another execution for its best, of which nobody is told
 * until it has come to something better than r's: then the end of the trial, which is true, makes
 * it that of r. Its result must be {0} and is released by the caller. */
void reducer_begin_trial(struct reducer *trial, struct reducer *r);
bool reducer_end_trial(struct reducer *r, struct reducer *trial);

/* What a trial begins with: a run by chance that shows the violation, false when none of so many
 * does; or what is wanted, false when that does not show it. */
bool reducer_find_another(struct reducer *trial, const struct tail *tail, uint32_t runs_max);
bool reducer_take_another(struct reducer *trial, const struct plan *p, const struct candidate *c);

/* Runs what is wanted. True when it shows the violation in at most so many steps and is not the
 * best itself: then it is the trial's best, though it may be longer than that was. */
bool reducer_drift(struct reducer *trial, const struct candidate *c, uint32_t steps_max);

/* The best once more with what was pending at each step; NULL when it cannot be run. Good until the
 * next run. */
const struct execution *reducer_look(struct reducer *r);

/* Likewise what the candidate comes to. Good until the next look. */
const struct execution *reducer_look_at(struct reducer *r, const struct candidate *c);

/* Whether the best is the same in a few more replays, as what is claimed of it takes for granted;
 * not asked where it is known that replays differ, and not known where there is no time for it. */
bool reducer_is_steady(struct reducer *r);

/* So many marks, or one for each step of the best, all clear; good until the next are asked for. */
bool *reducer_marks_of(struct reducer *r, uint32_t count);
bool *reducer_marks(struct reducer *r);

/* Tries the best without the steps marked in `is_out` (and without the rest of their atoms), with
 * each way to match what is left. */
bool reducer_try_without(struct reducer *r, const bool *is_out);

/* chance.c, for stages that try their luck. How many steps they may take in vain: more each time.
 * How many runs: few where a run takes milliseconds. A seed, and a strategy, from that of the run.
 */
uint64_t chance_steps_max(struct reducer *r);
uint32_t chance_runs_max(const struct reducer *r);
uint64_t chance_seed(const struct reducer *r, uint32_t number);
enum pick_strategy chance_strategy(uint64_t number);

/* contents.c: a copy of what the request of this name brings is kept. */
void contents_put(struct contents *c, const struct plan_content *content);
void contents_release(struct contents *c);

/* echoes.c: r's candidate is another echo of the past, if that is long enough to be worth it. */
bool splice_windows_are_worth(const struct past *past);
void splice_windows_draw(struct reducer *r, const struct past *past, struct prng *prng);

/* The stages. Each ends where it can do no more alone, or is told to. */
void provenance_stage(struct reducer *r);
void context_switches_stage(struct reducer *r);
void externals_stage(struct reducer *r);
void shortcuts_stage(struct reducer *r);
void reactions_stage(struct reducer *r);
void splice_windows_stage(struct reducer *r);
void clock_clusters_stage(struct reducer *r);
void cones_stage(struct reducer *r);
void chunks_stage(struct reducer *r);
void per_node_stage(struct reducer *r);
void random_suffix_stage(struct reducer *r);
void singles_stage(struct reducer *r);
void pairs_stage(struct reducer *r);
void equivalent_steps_stage(struct reducer *r);
void move_step_stage(struct reducer *r);
void payload_shrink_stage(struct reducer *r);
void restart_stage(struct reducer *r);
void node_renaming_stage(struct reducer *r);
void seeds_stage(struct reducer *r);
void insert_then_remove_stage(struct reducer *r);
void random_walk_stage(struct reducer *r);
void exact_stage(struct reducer *r);

/* All stages of the options but these (a bit each), one after another. */
void reducer_run_stages(struct reducer *r, uint32_t left_out);

#endif
