/* A formula as a disjunction of clauses: it holds in a cut when all literals of one clause do.
 *
 * A formula over the variables of one process stays whole. All other literals are linear
 * comparisons. */
#ifndef CLEW_MONITOR_OFFLINE_CLAUSE_H
#define CLEW_MONITOR_OFFLINE_CLAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "monitor/offline/state_history.h"

struct literal {
    uint32_t cell;
    bool is_negated;
    int8_t side; /* of a negated equality: -1 its left is the lesser, 1 its right; else 0 */
};

struct clause {
    const struct literal *at;
    size_t count;
};

struct clauses {
    VEC(struct clause) list;
};

struct literals {
    VEC(struct literal) list;
};

/* Takes the literal apart as a conjunction (CELL_AND) or a disjunction (CELL_OR), the leftmost
 * operand first, and appends the operands. Formulas of one process stay whole. As a disjunction,
 * "the two sums differ" becomes its two sides. */
void literals_flatten(const struct state_history *h, struct literal root, enum cell_op op,
                      struct literals *operands);

/* Whether the literal is a conjunction or disjunction over several processes, or "the two sums
 * differ". */
bool literal_is_junction(const struct state_history *h, struct literal literal);

/* The clauses of the formula at `root`, in the arena. False when they would exceed the limit of
 * literals. */
bool clauses_build(struct clauses *c, const struct state_history *h, uint32_t root,
                   size_t literals_max, struct arena *a);
void clauses_release(struct clauses *c);

/* A linear comparison over several processes: the weighted terms, each of one process, sum up to at
 * most, or exactly, the bound. */
struct term {
    uint32_t cell;
    int64_t weight;
    enum column_part part; /* of messages in transit: the number sent, less the number received */
};

struct linear {
    VEC(struct term) terms;
    bool is_equal;     /* else: at most */
    bool is_too_large; /* its numbers overflow: the other fields say nothing */
    bool is_nonlinear; /* a term is of several processes (a product, the least or greatest of some,
                        * a truth): only libz3 takes it */
    int64_t bound;
};

/* The literal as a linear comparison; l must be {0}. False when it compares nothing, or reads a
 * quantity without a value in a cut. */
bool linear_build(struct linear *l, const struct state_history *h, struct literal literal);

/* The cell as a number: the sum of the terms less the bound. False as above. */
bool linear_build_number(struct linear *l, const struct state_history *h, uint32_t cell);
void linear_release(struct linear *l);

#endif
