/* Moments that no run of a search has passed.
 *
 * Executions that differ only in the order of steps that do not conflict agree on the steps
 * of each node, not on the state of all nodes at one moment: of two steps on two nodes, either may
 * come first, and a claim about both nodes looks at the state in between. A search that makes one
 * of these executions asks here for more: runs of the same steps, in orders that pass every moment
 * which the steps allow and which no run has passed yet.
 *
 * A moment is a cut of the execution, a set of steps with all that comes before them, and is known
 * by the view that claims have of each node then. A moment that breaks a claim ends the run, so the
 * search looks for the moments behind it on ways around it. */
#ifndef CLEW_EXPLORE_GLOBAL_STATES_H
#define CLEW_EXPLORE_GLOBAL_STATES_H

#include "base/map.h"
#include "explore/saved_search.h"
#include "explore/step_order.h"
#include "world/world.h"

/* A set of steps that a run can have made. */
struct cut {
    uint32_t parent; /* the cut before its last step */
    uint32_t step;
    uint32_t size; /* steps */
    uint64_t hash; /* of its steps */
    uint64_t view; /* of all nodes, then */
};

/* {.check_every = 1} has seen nothing. */
struct global_states {
    uint32_t check_every; /* claims are checked every N steps: others are no moments */
    struct map seen;      /* views that runs have passed, and whether they broke a claim */
    VEC(uint64_t) news;   /* those since the last save, each with its value */
    bool is_kept;         /* will be saved */
    bool is_unsure;       /* some moments were not passed */
    VEC(uint64_t) before; /* of a run that is looked at: the view of each node */

    /* The execution whose moments are being passed. */
    bool has_steps;
    bool wants_end; /* no run with checks has reached its end */
    VEC(uint64_t) names;
    VEC(uint64_t) changes; /* of the view of all nodes, by each step */
    uint64_t crash;        /* the key of a last step that did not complete; 0: it did */
    VEC(struct cut) cuts;  /* that can be reached, breadth first; empty when not known */
    VEC(uint64_t) members; /* of the cuts: a row of bits each */
    struct map numbers;    /* of cuts, by their hash */
    size_t looked;         /* cuts that need not be looked at again */
    uint64_t target;       /* the view that the last run was to pass ... */
    uint32_t target_size;  /* ... after this number of steps */
    bool is_to_end;        /* ... and whether it was to make all steps */
};

void global_states_release(struct global_states *m);

/* A run with checks was made: the moments that it passed are seen. */
void global_states_note(struct global_states *m, const struct execution *x);

/* Begins to pass the moments of x. is_seen_to_end: a run that looked has made all of its steps. */
void global_states_take(struct global_states *m, const struct execution *x, bool is_seen_to_end);

/* The names of x's steps in an order that passes a moment not seen before; false when there is none
 * left. r is the order of x. */
struct turns {
    VEC(struct pick_turn) list;
};
bool global_states_next(struct global_states *m, const struct relation *r, struct turns *turns);

/* The run in the order that global_states_next gave was made. */
void global_states_learn(struct global_states *m, const struct execution *x);

/* Writes the views seen since the last save; resume reads them in the same order. */
void global_states_save(struct global_states *m, struct out *more);
void global_states_resume(struct global_states *m, struct saved *more);

#endif
