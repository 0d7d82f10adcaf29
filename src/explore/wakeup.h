/* Wakeup trees (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017, section 5): the sequences of
 * operations that a search has still to begin with at a node.
 *
 *     a --- b --- c        two sequences, a b c and a d; after a was chosen at the node, the node
 *       \-- d              below it has the tree of b c and d
 *
 * A race that could go the other way gives a sequence that leads to the execution where it does.
 * Where the tree has one already of which an extension is equivalent to an extension of the new
 * one, the new one adds nothing; so no run that follows a sequence to its leaf is cut off as
 * redundant. */
#ifndef CLEW_EXPLORE_WAKEUP_H
#define CLEW_EXPLORE_WAKEUP_H

#include "explore/saved_search.h"
#include "explore/step_order.h"
#include "world/world.h"

struct wakeup_sequence {
    VEC(struct pick_operation) operations; /* never empty in a tree */
};

/* {0} is empty. The paths from the root to each leaf; siblings are in the order of their first
 * path. */
struct wakeup_tree {
    VEC(struct wakeup_sequence) sequences;
};

/* The steps of x that are to come, in this order, without one that they do not come after. */
struct reversal {
    const struct execution *x;
    const struct relation *relation;
    VEC(uint32_t) steps;
    bool may_vanish; /* an operation that is pending may be taken away by another: a message that a
                        fault drops, a timer that is set again */
};

/* v becomes the steps of x that come after first and are not ordered after it, then second.
 * O(steps). */
void reversal_build(struct reversal *v, const struct step_race *race);

/* Whether an execution that begins with v can as well begin with the operation: it is a step of v
 * that no other of v comes before, or it conflicts with none of v (a weak initial of v). The
 * latter does not count where it may vanish. */
bool reversal_may_begin(const struct reversal *v, const struct pick_operation *o);

/* Adds v, of which nothing is left afterwards, unless the tree makes it needless; where operations
 * may vanish only its first operation, unless the tree has another that v may begin with. */
void wakeup_insert(struct wakeup_tree *t, struct reversal *v);

/* Adds the sequence of one operation, unless one begins with it. */
void wakeup_add(struct wakeup_tree *t, const struct pick_operation *o);

/* The first sequence that begins with an operation of this name; NULL: there is none. */
const struct wakeup_sequence *wakeup_find(const struct wakeup_tree *t, uint64_t name);

/* Moves the sequences below the operation in `from` to `to`, which is empty. */
void wakeup_descend(struct wakeup_tree *from, uint64_t name, struct wakeup_tree *to);

void wakeup_drop_first(struct wakeup_tree *t);
void wakeup_clear(struct wakeup_tree *t);
void wakeup_release(struct wakeup_tree *t);

/* An operation as far as conflicts and wakeup trees look at it, and a tree of them. */
void operation_save(const struct pick_operation *o, struct out *out);
struct pick_operation operation_resume(struct saved *s);
void wakeup_save(const struct wakeup_tree *t, struct out *out);
void wakeup_resume(struct wakeup_tree *t, struct saved *s);

#endif
