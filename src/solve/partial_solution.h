/* A partial solution, the draft: values that satisfy the facts of a problem (its clauses of one
 * atom) and the atoms chosen so far, and the set of other clauses that they break.
 *
 *     draft_begin(&d);                               once a question, then
 *     draft_apply(&d, step);                         for each step of following the problem
 *     if (draft_choose(&d, atom, tag)) ...           make an atom hold, or learn why it cannot
 *     while ((broken = draft_broken(&d)) != DRAFT_NONE) ...
 *
 * When nothing is broken, the values solve the problem, although most atoms were never chosen: few
 * changes need few checks. After each question the values return to the last ones that solved the
 * problem without choices. They start as 0, 1, 2, ... for the variables in their order, so these
 * are best numbered along an order that nearly solves the problem. */
#ifndef CLEW_SOLVE_PARTIAL_SOLUTION_H
#define CLEW_SOLVE_PARTIAL_SOLUTION_H

#include "solve/difference_graph.h"
#include "solve/incremental.h"
#include "solve/problem.h"

#define DRAFT_NONE UINT32_MAX

struct draft_clauses {
    VEC(uint32_t) list;
};

struct draft_scope {
    size_t clause_count;
    size_t edge_count;
    size_t registered_count;
};

/* {.problem = p} has read nothing of p. */
struct draft {
    const struct problem *problem;
    struct graph graph; /* node 0 is the constant zero, node v + 1 is variable v */
    VEC(struct draft_scope) scopes;
    size_t clause_count;
    bool is_dead;      /* the problem is unsatisfiable ... */
    size_t dead_depth; /* ... with this many scopes open */

    VEC(struct draft_clauses) clauses_of; /* the clauses that a rise of the node may break */
    VEC(uint32_t) registered; /* the nodes in the order in which clauses were put there */
    VEC(bool) is_queued;
    VEC(uint32_t) queue; /* clauses that may be broken, from queue_head on */
    size_t queue_head;

    bool has_home;                 /* the values before the question solve the problem */
    VEC(struct graph_change) home; /* those that have changed since */
    VEC(uint64_t) saved_at;        /* by node: the question that put it in `home` */
    uint64_t question_count;
    uint64_t check_count; /* clauses visited since the beginning */
};

void draft_release(struct draft *d);

/* Whether values stay far from overflow: the largest bound times the nodes is small enough. */
bool draft_can_hold(const struct problem *p, uint64_t bound_size_max);

/* Undoes all choices, and restores the values that solved the problem before. */
void draft_begin(struct draft *d);

/* Follows one step of the problem. After a contradiction nothing more is read until the scope in
 * which it arose is popped. */
void draft_apply(struct draft *d, struct follow_step step);

/* The problem has been followed: from here on values change by choices only. */
void draft_settle(struct draft *d);

/* Marks the problem unsatisfiable in its present scopes. */
void draft_die(struct draft *d);

/* Adds an atom that has to hold. False when it cannot: d->graph.cycle then holds the tags of the
 * atoms that exclude it (0 for facts), itself included. */
MUST_USE bool draft_choose(struct draft *d, struct solve_atom atom, uint32_t tag);

/* Undoes the choices behind the first edge_count edges. */
void draft_truncate(struct draft *d, size_t edge_count);

/* A clause that the values break, DRAFT_NONE when they solve the problem. */
uint32_t draft_broken(struct draft *d);

/* Appends every broken clause to the list. */
void draft_broken_all(struct draft *d, struct draft_clauses *broken);

/* By how much the values miss the atom; 0 when it holds. */
int64_t draft_excess(const struct draft *d, struct solve_atom atom);

/* Whether values have drifted so far up that draft_renew is due. */
bool draft_is_high(const struct draft *d);

/* Chooses all values again. No choices may be in force. */
void draft_renew(struct draft *d);

/* The value of each variable of the problem. */
void draft_values(const struct draft *d, int64_t *values);

/* Work done since the beginning. */
uint64_t draft_steps(const struct draft *d);

#endif
