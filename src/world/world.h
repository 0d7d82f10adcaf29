/* A world: the interface between search and system. It runs a system under a plan and returns an
 * execution with its verdict. sim/ is one world, controlled processes are another; explore/ and
 * minimize/ depend on nothing else.
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

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/vec.h"
#include "pick/pick.h"
#include "trace/finding.h"
#include "trace/schedule.h"
#include "trace/trace.h"
#include "wire/kind.h"

enum { FAULT_LIMIT = FAULT_RESET + 1 };

/* The largest number of each fault in a run. */
struct fault_budget {
    uint16_t most[FAULT_LIMIT]; /* by FAULT_CRASH ... */
};

/* Whether it allows any. */
bool fault_budget_is_any(const struct fault_budget *b);

/* Reads "crash=1,drop=2" ("crash" alone is one); "none" is none. Fails on an unknown fault, or one
 * that no system of nodes has (short reads, connections that are reset). */
MUST_USE int fault_budget_parse(struct fault_budget *b, const char *text, struct err *e);

/* Reads "timer=1,message=8"; a class that is not named has weight 1. Fails on an unknown class of
 * operations, a malformed weight, and where all are 0. */
MUST_USE int weights_parse(struct pick_weights *w, const char *text, struct err *e);

/* The payload of a request. */
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
    uint32_t wants_kept; /* of its requested steps, this many first ones are likely a prefix of
                            later plans: a world may take a snapshot there */
    bool is_whole; /* every step is executed: no snapshot of an earlier run, which might differ, is
                      used */
    bool wants_pending;     /* keep the pending operations at each step */
    bool wants_states;      /* keep the state's hash after each step, where the world has one */
    bool wants_transitions; /* keep the change of its node by each step, as far as the node reports
                               it */
    bool wants_views;       /* keep the view that claims have of each step's node after it */
    bool is_blind;          /* claims are not checked */
    bool is_ordered;        /* every two steps conflict: claims depend on their order */
    bool is_reduced;   /* orders of independent steps are left out: the world reports by its `order`
                          when they turn out to matter */
    bool wants_shared; /* keep which steps changed variables that belong to no node */
    bool is_counting;  /* covered blocks are counted, when the run is over */
    bool is_learning;  /* covered blocks are counted after each step, and passed to the strategy */
    bool wants_blocks; /* keep which blocks of code were entered; needs one of the two before */
    struct trace *trace;      /* not NULL: receives the events; its tables are filled too */
    uint32_t trace_steps_max; /* a run of more steps has no trace; 0: every run has */
    bool skips_scopes;        /* the trace does without operations and scopes */
    /* Requests with replaced payloads. */
    const struct plan_content *contents;
    size_t content_count;
    /* External events, from 0 and in ascending order, that do not occur: those behind them do. In a
     * run of requested steps others are left out too, where a requested step stands behind them. */
    const uint32_t *without;
    size_t without_count;
};

/* The outcomes of a run: OUTCOME(id, name), or VIOLATION(id), which has the name of its finding. */
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
/* Whether a run was cut off because it did not end in time. Its continuation is unknown: it is
 * reported as a note, and is no violation. */
bool outcome_is_cut(enum outcome outcome, enum finding_severity severity);

#define STEP_NONE UINT32_MAX

/* An executed step. */
struct step {
    struct pick_operation operation;
    uint32_t choice; /* its index among the pending operations, 0 being the default; in a run of
                        requested steps it may be unknown, and is 0 then */
    uint32_t cause;  /* the step that created it; STEP_NONE: it existed from the start */
    uint32_t pending_first; /* into the execution's pending, if the plan wants it */
    uint32_t pending_count;
    bool is_shared; /* it changed variables that belong to no node, if the plan wants it */
    uint64_t state; /* hash of the system after it, if the plan wants it; 0: none */
    uint64_t view;  /* hash of the view that claims have of its node after it, likewise; 0: none */
    uint64_t transition; /* of its node's variables before and after, likewise; 0: no change */
};

/* An execution: the steps of a run and its outcome. {0} is empty; it may be reused for run after
 * run. */
struct execution {
    enum outcome outcome;
    char what[400];  /* of a violation: one sentence with values; else why the run ended */
    uint32_t values; /* of a violated property: the offset of its values in `what`; 0: none */
    char key[120];   /* of a violation: the same for the same bug in other runs */
    enum finding_severity severity; /* of a violation */
    bool is_early; /* a property was violated between two steps, where more could have followed */
    uint64_t hash; /* of the whole execution: equal for equal runs, in every process */
    size_t where;  /* of DIVERGED the turn, of UNSATISFIED the constraint */
    bool has_changed;      /* a variable that a node reports changed in a step */
    bool is_faithful;      /* every turn was taken (a lenient run may skip some) */
    uint32_t steps_reused; /* of its steps, this many first ones were not executed again: they come
                              from an earlier run */
    VEC(struct step) steps;
    VEC(uint32_t)
    event_steps; /* if there is a trace: the step of each of its events, STEP_NONE: no step */
    VEC(uint32_t)
    without; /* external events, from 0, that later ones did not wait for */
    VEC(struct pick_operation) pending;
    VEC(struct step)
    unfinished; /* in a world of tasks, if the plan wants pending operations: the next operation of
                   each task, blocked or not */
    VEC(uint32_t)
    blocks; /* the numbers of the blocks of code that were entered, each once, if the plan wants
               them */
    uint32_t pending_last; /* the index in it of the operations pending at the end, if the plan
                              wants it */
};

void execution_clear(struct execution *x);
void execution_release(struct execution *x);

/* Ends the run with this outcome and sentence. */
void execution_end(struct execution *x, enum outcome outcome, const char *what);

/* Ends the run because pick stopped at `where` for this reason. Does nothing for PICK_REST. */
void execution_stop(struct execution *x, enum pick_stop stop, uint64_t where);

/* The coverage of the code of the nodes; 0 where nothing is counted. */
struct world_coverage {
    uint32_t block_total;
    uint32_t block_covered;
};

/* A block of code. */
struct world_block {
    uint32_t index;
    uint64_t count; /* the number of entries ... */
    uint64_t nodes; /* ... and the nodes that entered it, a bit each (the last for all from the 64th
                       on) */
    const char *place; /* "" when unknown */
};

/* The results of a property. */
struct world_property {
    const char *name;
    const char *text; /* as in the specification, "" for one in C */
    uint64_t checks, skips, failures;
};

/* A step in words for users. Texts are "" where nothing is known. */
struct world_step {
    const char *task;      /* or the node */
    const char *operation; /* "read balance" */
    const char *location;  /* "account.c:11" */
    const char *source;    /* the line of the source there */
    bool has_value;        /* of a read: the value that it saw is worth showing, no address */
    bool is_value_known;   /* of a read or an atomic operation: it is known what it saw or stored */
    int64_t value;
};

struct world;

struct world_ops {
    const char *name; /* "sim", as in a schedule's header */
    int (*run)(struct world *w, const struct plan *p, struct execution *x, struct err *e);
    /* Writes the operation the way schedules do. */
    void (*describe)(struct world *w, const struct pick_operation *o, struct schedule *s,
                     struct choice *c);
    struct world_coverage (*coverage)(const struct world *w);
    /* Optional: the blocks entered since the last call; all known blocks on the first call. Returns
     * their number; valid until the next call. */
    uint32_t (*blocks)(struct world *w, const struct world_block **blocks);
    /* Optional: the results of each property since the last call; likewise. */
    uint32_t (*properties)(struct world *w, const struct world_property **properties);
    /* Optional: the call stacks at the end of the last run, a line for each task, for users. */
    void (*calls)(struct world *w, struct out *out);
    /* Optional: copies the files that the last run changed to a directory, which is made if there
     * are any. */
    int (*keep)(struct world *w, const char *folder, bool *is_kept, struct err *e);
    /* Optional: the last steps of the last run, at most `most`, 0: all, a line each with its place
     * in the source, for users. */
    void (*steps)(struct world *w, size_t most, struct out *out);
    /* Optional: describes step `index` of the last run; its texts are in the arena. False when the
     * step is not known any more. */
    bool (*show_step)(struct world *w, size_t index, struct arena *a, struct world_step *step);
    void (*close)(struct world *w);

    /* Optional, NULL where the world cannot: an interactive run. `begin` resets, `pending` lists
     * the possible next operations, `step` executes one and returns whether the run goes on. */
    void (*begin)(struct world *w, const struct plan *p, struct execution *x);
    uint32_t (*pending)(struct world *w, const struct pick_operation **pending);
    bool (*step)(struct world *w, uint32_t choice, struct execution *x);
    /* A snapshot of the whole state of the system, and its restoration. Freed with mem_free. */
    void *(*checkpoint)(struct world *w);
    void (*restore)(struct world *w, const void *checkpoint);
    uint64_t (*state_hash)(struct world *w);
    /* Of a request in the last run that was not one of requested steps, by the name of its
     * delivery: the index-th smaller variant of its payload, as the system proposes them. 1 when
     * there is one, 0 when there are no more, -1 when the system fails. The bytes are valid until
     * the next call. */
    int (*shrink)(struct world *w, uint64_t name, uint32_t index, struct plan_content *smaller,
                  struct err *e);
    /* Likewise, the size of its payload; 0 where the system proposes no smaller ones. */
    size_t (*brought)(struct world *w, uint64_t name);
    /* The action of the operation if these two nodes had exchanged their roles. */
    uint64_t (*exchanged)(struct world *w, const struct pick_operation *o, uint16_t first,
                          uint16_t second);
    /* The nodes' states, a line each, for users. */
    void (*states)(struct world *w, struct out *out);
};

/* The scope of the claims that a world checks. Two searches that take the steps of different nodes
 * in different orders may differ in the states they see. */
enum world_scope {
    SCOPE_NODE,   /* one node at a time, or the system at rest */
    SCOPE_MOMENT, /* several nodes between two steps */
    SCOPE_ORDER,  /* the sequence of moments, or more than the nodes' own states */
};

/* The reasons why the order of all steps matters. ORDER(id, words) */
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
    const char *system;     /* its system, for schedules and reports */
    const char *net;        /* its network model, for schedules */
    const char *with;       /* the options of the system, "a-bug,nodes=5"; NULL: none */
    bool has_tasks;         /* steps are of tasks, and by default the running task goes on */
    uint32_t check_every;   /* the interval in steps between checks of claims; 0: after each */
    enum world_scope scope; /* of its claims; a plan's is_ordered and wants_views serve them */
    enum world_order order; /* of SCOPE_ORDER; both may grow from run to run */
    bool looks_at_rest;     /* some claims are checked only when the system is at rest */
    bool has_bound_events;  /* some external events can be left out for those behind them */
    bool has_needs;         /* some external events occur only after others */
    bool has_drawn;         /* a node drew random numbers in some run: other seeds draw others */
    /* The parts of the system that the world does not control, a sentence each: then neither an
     * exhausted search nor a proof of minimality is conclusive. */
    const char *const *doubts;
    uint32_t doubt_count;
    /* Keys of violations after which runs go on, where they can: violated properties. Schedules
     * list them. */
    const char *const *ignored;
    size_t ignored_count;
    struct pick *pick;         /* which remembers from run to run */
    struct pick_limits limits; /* its parameters */
};

/* Runs the plan; x is cleared first. A violation is a result, not an error. */
MUST_USE int world_run(struct world *w, const struct plan *p, struct execution *x, struct err *e);

void world_close(struct world *w);

#endif
