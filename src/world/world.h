/* The seam between searching and what is searched: a system that can be run under a plan, and gives
 * back an execution with its verdict. sim/ is one, real processes are another; explore/ and
 * minimize/ know no more of them than this.
 *
 *     struct execution x = {0};
 *     if (world_run(w, &plan, &x, e) < 0) { ... the world itself is broken ... }
 *     if (outcome_is_violation(x.outcome)) { ... x.what, x.key ... }
 *     execution_release(&x);
 */
#ifndef CLEW_WORLD_WORLD_H
#define CLEW_WORLD_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"
#include "base/vec.h"
#include "pick/pick.h"
#include "trace/finding.h"
#include "trace/schedule.h"
#include "trace/trace.h"
#include "wire/kind.h"

enum { FAULT_LIMIT = FAULT_RESET + 1 };

/* How many of each fault a run may have. */
struct fault_budget {
    uint16_t most[FAULT_LIMIT]; /* by FAULT_CRASH ... */
};

/* Whether it allows any. */
bool fault_budget_is_any(const struct fault_budget *b);

/* Reads "crash=1,drop=2" ("crash" alone is one); "none" is none. Fails on what is not a fault,
 * or one that no system of nodes has (short reads, connections that are reset). */
MUST_USE int fault_budget_parse(struct fault_budget *b, const char *text, struct err *e);

/* Reads "timer=1,message=8"; a class that is not named has weight 1. Fails on what is no class of
 * operations, or no weight, and where all are 0. */
MUST_USE int weights_parse(struct pick_weights *w, const char *text, struct err *e);

/* What a request brings. */
struct plan_content {
    uint64_t name; /* of the operation that delivers it */
    const void *bytes;
    size_t size;
};

/* One run. {0} is the default order without faults, of unlimited length. */
struct plan {
    struct pick_plan pick;
    struct fault_budget faults;
    uint32_t steps_max;  /* 0: no limit */
    uint32_t wants_kept; /* of its wants, the first so many are likely those of plans to come: a
                            world may prepare to go on from there */
    bool is_whole;       /* every step is taken: of a run before nothing is, which might differ */
    bool wants_pending;  /* keep what was pending at each step */
    bool wants_states;   /* keep the state's hash after each step, where the world has one */
    bool wants_transitions; /* keep how each step changed its node, as far as the node tells */
    bool wants_views;       /* keep what claims see of each step's node after it */
    bool is_blind;          /* claims are not looked at */
    bool is_ordered;        /* every two steps conflict: their order is what claims are about */
    bool is_reduced;   /* orders of steps that do not conflict are left out: the world tells by its
                          `order` when it turns out that they matter */
    bool wants_shared; /* keep which steps changed variables that belong to no node */
    bool is_counting;  /* covered blocks are counted, when the run is over */
    bool is_learning;  /* covered blocks are counted after each step, and told to the strategy */
    struct trace *trace;      /* not NULL: what happens is appended; its tables are filled too */
    uint32_t trace_steps_max; /* a run of more steps has no trace; 0: every run has */
    /* Requests that bring other bytes than they would. */
    const struct plan_content *contents;
    size_t content_count;
    /* Events from outside, from 0 and in ascending order, that do not come: those behind them do.
     * In a run of wants others are left out too, where what is wanted stands behind them. */
    const uint32_t *without;
    size_t without_count;
};

/* How a run ended: OUTCOME(id, name), or VIOLATION(id), which is called as the finding is that it
 * makes. */
#define OUTCOME_LIST(OUTCOME, VIOLATION) \
    OUTCOME(PASSED, "passed")            \
    OUTCOME(LIMIT, "step limit")         \
    OUTCOME(REDUNDANT, "redundant")      \
    OUTCOME(DIVERGED, "diverged")        \
    OUTCOME(UNSATISFIED, "unsatisfied")  \
    VIOLATION(PROPERTY)                  \
    VIOLATION(LIVENESS)                  \
    VIOLATION(ASSERTION)                 \
    VIOLATION(CRASH)                     \
    VIOLATION(SANITIZER)                 \
    VIOLATION(DEADLOCK)                  \
    VIOLATION(LIVELOCK)                  \
    VIOLATION(HANG)                      \
    VIOLATION(EXIT)                      \
    VIOLATION(USE_AFTER_FREE)            \
    VIOLATION(DOUBLE_FREE)               \
    VIOLATION(OVERFLOW)                  \
    VIOLATION(NONDETERMINISM)

enum outcome {
#define OUTCOME(id, name) OUTCOME_##id,
#define VIOLATION(id) OUTCOME_##id,
    OUTCOME_LIST(OUTCOME, VIOLATION)
#undef OUTCOME
#undef VIOLATION
        OUTCOME_COUNT
};

const char *outcome_name(enum outcome outcome);
bool outcome_is_violation(enum outcome outcome);
enum finding_kind outcome_finding(enum outcome violation);
/* Whether a run was cut off because it did not end in time. Nothing is known of how it would have
 * gone on: it is told as a note, and is no violation that anybody found. */
bool outcome_is_cut(enum outcome outcome, enum finding_severity severity);

#define STEP_NONE UINT32_MAX

/* A step that was taken. */
struct step {
    struct pick_operation operation;
    uint32_t choice;        /* its index among what was pending, 0 being the default; in a run of
                               wants it need not be known, and is 0 then */
    uint32_t cause;         /* the step that created it; STEP_NONE: it was there from the start */
    uint32_t pending_first; /* into the execution's pending, if the plan wants it */
    uint32_t pending_count;
    bool is_shared;      /* it changed what belongs to no node, if the plan wants to know it */
    uint64_t state;      /* hash of the system after it, if the plan wants it; 0: none */
    uint64_t view;       /* hash of what claims see of its node after it, likewise; 0: none */
    uint64_t transition; /* of its node's variables before and after, likewise; 0: no change */
};

/* What happened. {0} is empty; the same one may be used for run after run. */
struct execution {
    enum outcome outcome;
    char what[400];  /* of a violation: one sentence with values; else why the run ended */
    uint32_t values; /* of a broken property: where in `what` its values begin; 0: none */
    char key[120];   /* of a violation: the same for the same bug in other runs */
    enum finding_severity severity; /* of a violation */
    bool is_early;         /* a property was broken between two steps, where more could have come */
    uint64_t hash;         /* of all that happened: equal for equal runs, in every process */
    size_t where;          /* of DIVERGED the turn, of UNSATISFIED the constraint */
    bool has_changed;      /* a variable that a node reports got another value in a step */
    bool is_faithful;      /* every turn was taken (a lenient run may skip some) */
    uint32_t steps_reused; /* of its steps, the first so many were not taken again: a run before
                              had begun with them */
    VEC(struct step) steps;
    VEC(uint32_t)
    event_steps; /* of a world of tasks, if there is a trace: which step each of its events was,
                    STEP_NONE: no step */
    VEC(uint32_t)
    without; /* events from outside, from 0, that others behind them did not wait for */
    VEC(struct pick_operation) pending;
    VEC(struct step)
    unfinished; /* in a world of tasks, if the plan wants what was pending: what
                   each would have done next, blocked or not */
    uint32_t
        pending_last; /* where in it begins what was pending at the end, if the plan wants it */
};

void execution_clear(struct execution *x);
void execution_release(struct execution *x);

/* The run ended so, in these words. */
void execution_end(struct execution *x, enum outcome outcome, const char *what);

/* The run ended because pick chose nothing: there, for this reason. Nothing for PICK_REST. */
void execution_stop(struct execution *x, enum pick_stop stop, uint64_t where);

/* What a world can tell of the code its nodes run; 0 where nothing is counted. */
struct world_coverage {
    uint32_t block_total;
    uint32_t block_covered;
};

/* A block of it. */
struct world_block {
    uint32_t index;
    uint64_t count;    /* how often it was entered ... */
    uint64_t nodes;    /* ... and by which nodes, a bit each (the last for all from the 64th on) */
    const char *place; /* "" when not known */
};

/* What became of a property. */
struct world_property {
    const char *name;
    const char *text; /* as specifications have it, "" for one in C */
    uint64_t checks, skips, failures;
};

struct world;

struct world_ops {
    const char *name; /* "sim", as in a schedule's header */
    int (*run)(struct world *w, const struct plan *p, struct execution *x, struct err *e);
    /* Writes the operation the way schedules do. */
    void (*describe)(struct world *w, const struct pick_operation *o, struct schedule *s,
                     struct choice *c);
    struct world_coverage (*coverage)(const struct world *w);
    /* Optional: the blocks that were entered since it was last asked; all those that there are, as
     * far as known, when it is asked for the first time. How many; good until the next call. */
    uint32_t (*blocks)(struct world *w, const struct world_block **blocks);
    /* Optional: what became of each property since it was last asked; likewise. */
    uint32_t (*properties)(struct world *w, const struct world_property **properties);
    /* Optional: the calls in which the last run ended, of each task a line, for people. */
    void (*calls)(struct world *w, struct out *out);
    /* Optional: copies the files that the last run changed to a directory, which is made if there
     * are any. */
    int (*keep)(struct world *w, const char *folder, bool *is_kept, struct err *e);
    /* Optional: the last steps of the last run, at most so many, 0: all, of each a line with its
     * place in the source, for people. */
    void (*steps)(struct world *w, size_t most, struct out *out);
    void (*close)(struct world *w);

    /* Optional, NULL where the world cannot: a run by hand. `begin` resets, `pending` lists what
     * could be next, `step` does one of it and says whether the run goes on. */
    void (*begin)(struct world *w, const struct plan *p, struct execution *x);
    uint32_t (*pending)(struct world *w, const struct pick_operation **pending);
    bool (*step)(struct world *w, uint32_t choice, struct execution *x);
    /* A copy of everything the system knows, and back to it. Freed with mem_free. */
    void *(*checkpoint)(struct world *w);
    void (*restore)(struct world *w, const void *checkpoint);
    uint64_t (*state_hash)(struct world *w);
    /* Of a request in the last run that was not one of wants, by the name of what delivered it: the
     * index-th smaller variant of what it brought, as the system proposes them. 1 when there is
     * one, 0 when there are no more, -1 when the system fails at it. The bytes are good until the
     * next call. */
    int (*shrink)(struct world *w, uint64_t name, uint32_t index, struct plan_content *smaller,
                  struct err *e);
    /* Likewise, how many bytes it brought; 0 where the system proposes none that are smaller. */
    size_t (*brought)(struct world *w, uint64_t name);
    /* What the operation would do if these two nodes had changed places: an action. */
    uint64_t (*exchanged)(struct world *w, const struct pick_operation *o, uint16_t first,
                          uint16_t second);
    /* The nodes' states, a line each, for people. */
    void (*states)(struct world *w, struct out *out);
};

/* What the claims that are checked in a world look at together: two searches that take the steps of
 * different nodes in different orders may differ in what they see. */
enum world_scope {
    SCOPE_NODE,   /* one node at a time, or the system at rest */
    SCOPE_MOMENT, /* several nodes between two steps */
    SCOPE_ORDER,  /* how moments follow each other, or more than the nodes' own states */
};

/* Why the order of all steps matters, where it does. ORDER(id, words) */
#define ORDER_LIST(ORDER)                                                  \
    ORDER(FREE, "")                                                        \
    ORDER(OF_MOMENTS, "a property is about how moments follow each other") \
    ORDER(OF_STEPS, "a property asks how many steps were taken")           \
    ORDER(OF_VARIABLES, "the system changes variables that belong to no node, or a property does")

enum world_order {
#define ORDER(id, words) ORDER_##id,
    ORDER_LIST(ORDER)
#undef ORDER
        ORDER_COUNT
};

const char *world_order_words(enum world_order order);

/* A world's struct begins with this. */
struct world {
    const struct world_ops *ops;
    const char *system;     /* what runs in it, for schedules and reports */
    const char *net;        /* how its messages travel, for schedules */
    const char *with;       /* what was chosen about it, "a-bug,nodes=5"; NULL: nothing */
    bool has_tasks;         /* steps are of tasks, and whoever runs goes on by default */
    uint32_t check_every;   /* claims look after every so many steps; 0: after each */
    enum world_scope scope; /* of its claims; a plan's is_ordered and wants_views serve them */
    enum world_order order; /* of SCOPE_ORDER; both may grow while runs are made */
    bool looks_at_rest;     /* some claims look only when the system has come to rest */
    bool has_bound_events;  /* some from outside can be left out for those behind them */
    bool has_needs;         /* some from outside come only after others */
    bool has_drawn;         /* a node drew random numbers in some run: other seeds have others */
    /* What the world does not control of the system, a sentence each: a search that ended, or a
     * proof that nothing is shorter, says nothing then. */
    const char *const *doubts;
    uint32_t doubt_count;
    /* Keys of violations past which runs go on, where they can: broken properties. Schedules say
     * them. */
    const char *const *ignored;
    size_t ignored_count;
    struct pick *pick;         /* which remembers from run to run */
    struct pick_limits limits; /* what it was made with */
};

/* Runs the plan; x is cleared first. A violation is a result, not an error. */
MUST_USE int world_run(struct world *w, const struct plan *p, struct execution *x, struct err *e);

void world_close(struct world *w);

#endif
