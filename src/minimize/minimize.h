/* The shortest execution that still shows the violation. Each stage proposes candidates, sequences
 * of requested operations. The world runs a candidate and skips requests that cannot be served; the
 * execution is the new best if it shows the same violation with fewer steps.
 *
 *     struct minimized m = {0};
 *     if (minimize(world, &recipe.plan, &options, &m, e) < 0) { ... }
 *     recipe_write(&schedule, world, &m.plan, &m.best);
 *     minimized_release(&m);
 *
 * Whenever it is stopped, the best so far is whole and was replayed. */
#ifndef CLEW_MINIMIZE_MINIMIZE_H
#define CLEW_MINIMIZE_MINIMIZE_H

#include <signal.h>

#include "base/limit.h"
#include "world/world.h"

/* The stages. STAGE(id, function, name, meaning): stages/ has function##_stage() */
#define STAGE_LIST(STAGE)                                                                          \
    STAGE(ECHOES, splice_windows, "echoes",                                                        \
          "splice the last steps of a long run onto an earlier part of it")                        \
    STAGE(CLUSTERS, clock_clusters, "clusters",                                                    \
          "remove all steps of one logical-clock value (a term, a round)")                         \
    STAGE(SHORTCUTS, shortcuts, "shortcuts", "search for random runs of at most half the length")  \
    STAGE(SLICE, provenance, "slice", "remove steps that do not happen before the violation")      \
    STAGE(SWITCHES, context_switches, "switches",                                                  \
          "programs: remove context switches, then try all runs with few")                         \
    STAGE(EXTERNALS, externals, "externals",                                                       \
          "remove external events (requests, faults) by delta debugging")                          \
    STAGE(REACTIONS, reactions, "reactions",                                                       \
          "remove a timer or request with all messages that it caused")                            \
    STAGE(CHUNKS, chunks, "chunks",                                                                \
          "remove runs of consecutive internal steps: halves, quarters ...")                       \
    STAGE(CONES, cones, "cones", "remove a step with its whole causal future")                     \
    STAGE(STRANDS, per_node, "strands", "remove steps of one node, or steps of one kind")          \
    STAGE(SINGLES, singles, "singles", "remove each step alone, until none can go")                \
    STAGE(ROLES, node_renaming, "roles", "exchange two nodes in all steps")                        \
    STAGE(SEEDS, seeds, "seeds", "give the nodes the random numbers of other seeds")               \
    STAGE(CONTENTS, payload_shrink, "contents", "shrink request payloads, as the system proposes") \
    STAGE(DRIFT, random_walk, "drift", "walk randomly among executions of about the same length")  \
    STAGE(PAIRS, pairs, "pairs", "remove two or three steps together")                             \
    STAGE(TAILS, random_suffix, "tails", "keep a prefix and continue with random steps")           \
    STAGE(MATCHES, equivalent_steps, "matches",                                                    \
          "remove a step and deliver other messages of the same type")                             \
    STAGE(MOVES, move_step, "moves", "remove a step and move another one")                         \
    STAGE(ANEW, restart, "anew", "restart: minimize other runs that show the violation")           \
    STAGE(DETOURS, insert_then_remove, "detours",                                                  \
          "add a pending step, then remove each step alone")                                       \
    STAGE(EXACT, exact, "exact", "try every shorter execution")

enum stage {
#define STAGE(id, function, name, meaning) STAGE_##id,
    STAGE_LIST(STAGE)
#undef STAGE
        STAGE_COUNT,
    STAGE_NONE = STAGE_COUNT /* none: replays of the first run, and of the result once more */
};

/* STAGE_NONE has no name. The meaning is a phrase for --help. */
const char *stage_name(enum stage stage);
const char *stage_meaning(enum stage stage);

/* Whose way it is done. COMPAT(id, name) */
#define COMPAT_LIST(COMPAT)                                             \
    COMPAT(NONE, "none")             /* all stages, until none helps */ \
    COMPAT(DEMI, "demi")             /* as DEMi's program does */       \
    COMPAT(DEMI_PAPER, "demi-paper") /* as its paper says */

enum compat {
#define COMPAT(id, name) COMPAT_##id,
    COMPAT_LIST(COMPAT)
#undef COMPAT
        COMPAT_COUNT
};

const char *compat_name(enum compat compat);

/* Whether the stage is one of theirs. */
bool compat_has(enum compat compat, enum stage stage);

/* Which violations are the same. SAME(id, name) */
#define SAME_LIST(SAME)                                                    \
    SAME(RENAMED, "up-to-renaming") /* the same claim, on any node */      \
    SAME(EXACT, "exact")            /* the same claim, on the same node */ \
    SAME(KIND, "kind")              /* the same kind of violation */

enum same {
#define SAME(id, name) SAME_##id,
    SAME_LIST(SAME)
#undef SAME
        SAME_COUNT
};

const char *same_name(enum same same);

/* The account of a stage. A change is negative where the best has fewer; the changes of all stages
 * add up to the difference between the first run and the result. */
struct stage_account {
    int64_t steps, externals, switches, bytes;
    uint64_t replays;
    uint64_t searched; /* steps that were taken one by one, from checkpoints: they are no replays */
    bool was_run;
    bool has_failed; /* the system did, at its part: the note says how, whatever else was done */
    char
        note[200]; /* why it did less than it can, in no round or not in the last; "": it did all */
};

struct minimize_progress {
    enum stage stage;
    uint32_t steps, externals, switches;
    uint64_t replays;
};

struct minimize_options {
    struct limit budget; /* its time counts from when the run that is minimized was seen to show it;
                            before, replays of repeat_runs have as much */
    enum same same;
    enum compat compat;
    uint32_t stages; /* a bit each; 0: all */
    bool no_diverge; /* runs in which a node changes as it never did in the first are refused */
    /* Of repeat_runs replays, repeat_wanted must show the violation; 0: one of one. More than one
     * is for systems that are not the same every time: repeat_runs - repeat_wanted replays of a
     * candidate may miss it, and again of the schedule made from it, so that each takes less than
     * twice repeat_runs. Nothing is proven then. */
    uint32_t repeat_wanted;
    uint32_t repeat_runs;
    uint32_t jobs;          /* processes that run candidates; the result is the same */
    bool keeps_checkpoints; /* the world may be rewound within a run (no property looks back) */
    const volatile sig_atomic_t *is_stopped; /* ends it once it is not 0; not NULL */
    /* Called for the first and each new best, which was replayed, and for each stage; may be NULL.
     */
    int (*better)(void *context, const struct plan *p, const struct execution *best, struct err *e);
    void (*progress)(void *context, const struct minimize_progress *p);
    void *context;
};

/* How far it is known that there is none shorter. */
enum proof {
    PROOF_NONE,
    PROOF_MINIMAL, /* no step can go alone */
    PROOF_KINDS,   /* none shorter of the same kinds of steps, with no more faults than the best */
    PROOF_OPTIMAL, /* none shorter at all, with no more faults of any kind than the plan allows */
};

/* Other bytes that requests bring, and the memory of them. {0} is none. */
struct contents {
    VEC(struct plan_content) list;
};

struct minimized {
    struct plan plan; /* that begins its replay: seed, faults and contents */
    struct contents contents;
    struct execution best;
    uint64_t initial_hash;                                    /* of the run that was minimized */
    char initial_what[sizeof(((struct execution *)0)->what)]; /* its violation, as a text */
    uint32_t initial_steps, initial_externals;
    uint32_t final_externals;
    uint32_t initial_switches, final_switches; /* in a world of tasks, else 0 */
    uint64_t initial_bytes, final_bytes;       /* that requests brought, where less can be */
    bool has_fewest_switches;                  /* every execution with fewer was tried */
    uint64_t given_replays;                    /* of the schedule as it was given */
    uint64_t replays, steps;                   /* that were run ... */
    uint64_t steps_reused;    /* ... of which steps_reused were not run again: runs began alike */
    uint32_t contents_shrunk; /* how often something smaller was brought */
    struct stage_account stages[STAGE_COUNT + 1]; /* the last is that of STAGE_NONE */
    enum proof proof;
    bool has_atoms;            /* some of its steps go together, or not at all */
    bool has_unignorable;      /* some steps of the given run may not be missing in any other */
    bool is_flaky;             /* replays of one schedule differ, or may: nothing is proven */
    enum limit_end stopped_by; /* LIMIT_OPEN: all was done */
};

/* Minimizes the run that the plan makes, which must end in a violation. Fails when it does not,
 * when the world breaks, and when `better` does. */
MUST_USE int minimize(struct world *w, const struct plan *p, const struct minimize_options *o,
                      struct minimized *m, struct err *e);
void minimized_release(struct minimized *m);

/* Steps of x at which another task went first than the one that ran. */
uint32_t minimize_switches(const struct execution *x);

/* Steps of x that come from outside. */
uint32_t minimize_externals(const struct execution *x);

/* Which of two that show the same violation is better: below 0 the first, above 0 the second. */
int minimize_compare(const struct world *w, const struct execution *a, const struct execution *b);

#endif
