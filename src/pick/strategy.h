/* The internal interface of pick/: the state of the scheduler, and the operations of a strategy. */
#ifndef CLEW_PICK_STRATEGY_H
#define CLEW_PICK_STRATEGY_H

#include "pick/fixed_table.h"
#include "pick/pick.h"
#include "wire/must.h"
#include "wire/prng.h"

/* An offer: the pending operations, and those of them that the plan allows. */
struct offer {
    const struct pick_operation *pending;
    uint32_t pending_count;
    const uint32_t *among; /* indices into pending, never none */
    uint32_t count;
};

struct strategy {
    void (*begin)(struct pick *p); /* each may be NULL but choose */
    /* The index into pending of one of the operations in `among`. */
    uint32_t (*choose)(struct pick *p, const struct offer *offer);
    /* An operation is done, regardless of its chooser. */
    void (*done)(struct pick *p, const struct offer *offer, uint32_t chosen);
    void (*learn)(struct pick *p, const struct pick_operation *done,
                  const struct pick_block *blocks, uint32_t block_count);
    void (*end)(struct pick *p);
};

#define STRATEGY(id, name) extern const struct strategy strategy_##name;
PICK_STRATEGY_LIST(STRATEGY)
#undef STRATEGY

/* The state of a constraint in this run. */
struct kept {
    bool is_first_done;
    bool is_second_done;
    uint32_t object; /* of FROM: the object that both touch, once known */
};

/* The state of a wish in this run. */
struct granted {
    bool is_first_done;
    bool is_second_done;
    uint32_t task;                 /* the task of the first */
    uint32_t skipped;              /* of HOLD: operations that did not wait */
    struct pick_operation written; /* of READS: the first operation */
};

/* The operation of a task that waits for a wish, and its first step. */
struct waiting {
    uint64_t name;
    uint32_t since; /* the step, plus one; 0: nothing waits */
};

struct wishes {
    struct granted *granted; /* by wish */
    uint32_t *next;          /* by wish: the next wish with the same place, plus one */
    struct table by_second;  /* place to the first wish that holds it back, plus one */
    struct waiting *waiting; /* by task */
};

enum { PCT_DEPTH_MAX = 16 };

struct pct {
    uint64_t *priorities; /* of tasks; 0: not drawn yet in this run */
    uint32_t lowered_at[PCT_DEPTH_MAX];
    uint32_t lowered_count;
    uint32_t length_most; /* of any run so far that chose at points alone, as the last one did, or
                             at every access */
    bool is_narrowed;     /* the last run chose at points alone */
};

struct pos {
    struct table drawn[2]; /* priorities by name: of the last step, and of this one */
    uint32_t current;
};

/* The operations of one task in a run, by the profile of an earlier one. */
struct surw_task {
    uint32_t weight;   /* its remaining operations, with those of tasks it has still to create */
    uint32_t parent;   /* its creator; itself when there is none */
    bool is_known;     /* it was pending in this run */
    bool was_known;    /* in the profile */
    uint32_t expected; /* its operations by the profile */
};

struct surw {
    struct surw_task *tasks;
    struct table users;  /* (object, task) to how often in this run */
    struct table before; /* the same in the profile */
    uint32_t *objects;   /* those that several tasks used in the profile */
    uint32_t object_count;
    uint32_t object;   /* the one whose operations count in this run; 0: all do */
    uint32_t intended; /* the task that is to do the next one; UINT32_MAX: not drawn */
    uint32_t last;     /* the task that moved last */
};

/* The executions of a block, and its nodes. */
struct block_tally {
    uint64_t nodes; /* a bit each, for the first 64 */
    uint32_t count;
    uint32_t run; /* the run, from 1, of these counts; of all runs: the last */
};

/* The number of uncovered blocks of an action's history, at a number of covered ones. */
struct uncovered {
    uint64_t history;
    uint32_t run; /* 0: in all runs */
    uint32_t covered;
    uint32_t count;
};

struct coverage {
    struct uncovered *uncovered[2]; /* by entry of `actions`, as last counted: in all, in a run */
    uint32_t covered[2];            /* blocks in all runs, and in this one */
    struct block_tally *in_all;     /* by block: in all runs ... */
    struct block_tally *in_run;     /* ... and in the run it says */
    struct table actions;           /* an action's history: its place in the pool, and its length */
    struct pick_block *pool;        /* blocks of actions, one after another */
    uint32_t pool_used;
    uint32_t pool_size;
    uint64_t *in_run_set;  /* blocks of this run, a bit each */
    uint64_t *history_set; /* likewise those of each history, one after another ... */
    uint32_t *set_numbers; /* ... which of them, by entry of `actions`; 0: it has none */
    uint32_t set_count;
    uint32_t set_max;
    uint32_t set_words;   /* of each */
    struct table paths;   /* those that were begun, by hash */
    uint64_t *path_marks; /* a bit for some of each hash: where none is set, it is not in paths */
    uint64_t path;        /* of this run */
    uint32_t run;         /* from 1 */
};

struct pick {
    struct pick_limits limits;
    const struct strategy *strategy;
    struct pick_plan plan;
    bool has_weights; /* the plan's are not all 0 */
    struct prng prng;
    uint32_t step;
    size_t turn; /* the next one */
    size_t where;
    uint32_t external_count; /* of this run */
    uint32_t *allowed;       /* indices into pending */
    struct kept *kept;       /* of each constraint */
    struct table changed;    /* object to the name of what last changed it */
    struct pick_operation *asleep;
    size_t asleep_count;

    struct wishes wishes;
    struct table points;
    uint64_t points_number; /* of the list that is in it ... */
    size_t point_count;     /* ... up to here */
    bool has_all_points;    /* the list exceeds the capacity: each access is a point */
    uint32_t choice_count;  /* steps of this run that were chosen, not passed */
    uint32_t *starved;      /* by task: timers that fired while it was enabled ... */
    bool has_starved;       /* ... and whether any did in this run */

    struct pct pct;
    struct pos pos;
    struct surw surw;
    struct coverage coverage;
};

/* constraints.c: whether the constraints allow the operation now; *which is one that does not. */
enum keep {
    KEEP_ALLOWED,
    KEEP_RATHER_NOT, /* only when nothing else is allowed */
    KEEP_HELD,
};
enum keep keep_allows(const struct pick *p, const struct pick_operation *o, size_t *which);
/* Whether a constraint requests the operation or blocks another for it, and it has not occurred
 * yet. */
bool keep_asks_for(const struct pick *p, const struct pick_operation *o);
void keep_begin(struct pick *p);
void keep_look(struct pick *p, const struct pick_operation *pending, uint32_t count);
void keep_done(struct pick *p, const struct pick_operation *o);

/* Memory cut off the caller's block. */
struct carving {
    char *at; /* NULL: only measured */
    size_t used;
};
void *carve(struct carving *c, size_t count, size_t size);

/* soft_constraints.c */
void wish_init(struct pick *p, struct carving *c);
void wish_begin(struct pick *p);
/* Restricts the offer, which is p->allowed, to operations that no wish holds, if that leaves any
 * but faults; else all of it. */
void wish_narrow(struct pick *p, struct offer *offer);
void wish_done(struct pick *p, const struct pick_operation *o);

/* scheduling_points.c */
void point_init(struct pick *p, struct carving *c);
void point_begin(struct pick *p);

void pct_init(struct pick *p, struct carving *c);
void pos_init(struct pick *p, struct carving *c);
void surw_init(struct pick *p, struct carving *c);
void coverage_init(struct pick *p, struct carving *c);

#endif
