/* The calls and rounds of loops that accesses lie in, as a tree per task: an event `scope` of a
 * recording says where its task is in it.
 *
 *     serve()                        the task's routine: the root
 *       handle()                     a call
 *         round 1 of its loop        a round
 *           store()                  a call: its accesses are in this scope
 *         round 2 of its loop
 *           store()
 *
 * The innermost scope of two accesses is where their paths to the root meet. */
#ifndef CLEW_ATOMICITY_CALL_SCOPE_H
#define CLEW_ATOMICITY_CALL_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "trace/trace.h"

/* A scope is a number in a tree of scopes; SCOPE_ROOT is the routine of every task. */
#define SCOPE_ROOT 0

struct scope_node {
    uint32_t parent;
    uint32_t depth; /* from SCOPE_ROOT, which has 0 */
    bool is_round;  /* of a loop; else a call */
    bool has_acted; /* it, or a scope in it, has written a shared variable */
};

/* {0} has the root alone. */
struct scope_tree {
    VEC(struct scope_node) nodes; /* without the root: scope s is nodes[s - 1] */
};

/* Where one task is in the tree: {0} is at the root. */
enum { SCOPE_DEPTH_MAX = 64 };
struct scope_path {
    uint32_t count;
    uint32_t at[SCOPE_DEPTH_MAX]; /* the outermost scope first */
};

void scope_tree_release(struct scope_tree *t);

/* Moves to where an event `scope` says the task is. */
void scope_move(struct scope_tree *t, struct scope_path *p, const struct event *e);

static inline uint32_t scope_now(const struct scope_path *p)
{
    return p->count == 0 ? SCOPE_ROOT : p->at[p->count - 1];
}

/* Where two scopes of one task meet, and the scopes right below it that they are in: SCOPE_ROOT
 * where a scope is the common one itself. O(depth). */
struct scope_meeting {
    uint32_t common;
    uint32_t first, second;
};
struct scope_meeting scope_meet(const struct scope_tree *t, uint32_t first, uint32_t second);

/* The task, in this scope, has written a shared variable. O(depth), in all O(scopes). */
void scope_act(struct scope_tree *t, uint32_t scope);

/* Whether it, or a scope in it, has; false for the root. */
static inline bool scope_has_acted(const struct scope_tree *t, uint32_t scope)
{
    return scope != SCOPE_ROOT && t->nodes.at[scope - 1].has_acted;
}

/* Whether a scope is `around`, or lies in it. O(depth). */
bool scope_is_in(const struct scope_tree *t, uint32_t scope, uint32_t around);

/* True for rounds of a loop, which the root is not. */
static inline bool scope_is_round(const struct scope_tree *t, uint32_t scope)
{
    return scope != SCOPE_ROOT && t->nodes.at[scope - 1].is_round;
}

#endif
