/* Conflict-driven clause learning: clauses over boolean variables, propagated with two watched
 * literals, learning from conflicts. It neither chooses variables nor knows their meaning:
 * order_solver.c does, and supplies the theory conflicts.
 *
 * A literal is a variable's number doubled, plus one when negated. */
#ifndef CLEW_SOLVE_CDCL_H
#define CLEW_SOLVE_CDCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire/must.h"

#define CDCL_NONE UINT32_MAX

enum cdcl_value { CDCL_OPEN, CDCL_TRUE, CDCL_FALSE };

struct cdcl_watch {
    uint32_t clause;
    uint32_t blocker; /* a literal of the clause: when it is true, the clause can be skipped */
};

struct cdcl_watches {
    VEC(struct cdcl_watch) list;
};

struct cdcl_variable {
    uint32_t level;  /* at which it was assigned */
    uint32_t reason; /* the clause that forced it, CDCL_NONE for choices and facts */
    uint8_t value;   /* enum cdcl_value */
    bool is_seen;    /* while a conflict is analyzed */
};

struct cdcl_clause {
    uint32_t first; /* literal in the pool; the first two are watched */
    uint32_t count;
    uint32_t level_count; /* of a learnt clause: the number of levels it spans; 0: original */
};

/* {0} is empty. */
struct cdcl {
    VEC(struct cdcl_variable) variables;
    VEC(struct cdcl_watches) watches; /* of each literal: the clauses to visit when it is false */
    VEC(struct cdcl_clause) clauses;
    VEC(uint32_t) pool;
    VEC(uint32_t) trail;       /* true literals in the order of assignment */
    VEC(uint32_t) level_marks; /* the trail's length when each level began */
    VEC(uint32_t) learnt;      /* the result of cdcl_analyze; the literal to assign comes first */
    VEC(uint32_t) conflict;    /* literals, all false, of which one should be true */
    VEC(uint32_t) level_seen;
    uint64_t step_count;   /* watches visited since the beginning */
    uint32_t learnt_count; /* learnt clauses alive */
};

static inline uint32_t cdcl_literal(uint32_t variable)
{
    return variable << 1;
}

static inline uint32_t cdcl_negated(uint32_t literal)
{
    return literal ^ 1;
}

static inline enum cdcl_value cdcl_value(const struct cdcl *c, uint32_t literal)
{
    const uint8_t value = c->variables.at[literal >> 1].value;
    return value == CDCL_OPEN                      ? CDCL_OPEN
           : (value == CDCL_TRUE) != (literal & 1) ? CDCL_TRUE
                                                   : CDCL_FALSE;
}

static inline uint32_t cdcl_level(const struct cdcl *c)
{
    return (uint32_t)c->level_marks.count;
}

void cdcl_release(struct cdcl *c);

uint32_t cdcl_variable(struct cdcl *c);

/* Makes an unassigned literal true. */
void cdcl_assign(struct cdcl *c, uint32_t literal, uint32_t reason);

/* Opens a level; cdcl_backtrack undoes later assignments with it. */
void cdcl_choose(struct cdcl *c);

/* Undoes every level above this one. */
void cdcl_backtrack(struct cdcl *c, uint32_t level);

/* Adds a clause that has to hold, at level 0: literals decided at level 0 are resolved away. False
 * when no literal is left to make it true. */
MUST_USE bool cdcl_add(struct cdcl *c, const uint32_t *literals, size_t count);

/* Assigns the literals that clauses force now that the literal is true. False, with c->conflict
 * set, when a clause has become false. */
MUST_USE bool cdcl_propagate(struct cdcl *c, uint32_t literal);

/* From c->conflict, false at the current level (not 0), derives c->learnt, which follows from the
 * clauses and the premises of c->conflict. Returns the backjump level, at which the first literal
 * of c->learnt is forced. */
uint32_t cdcl_analyze(struct cdcl *c);

/* Backtracks to that level, keeps c->learnt and assigns its first literal. */
void cdcl_learn(struct cdcl *c, uint32_t level);

/* Forgets the clauses from this one on. Level 0 only. */
void cdcl_truncate(struct cdcl *c, size_t clause_count);

/* Undoes the assignments of level 0 from this trail length on. Level 0 only. */
void cdcl_unassign(struct cdcl *c, size_t trail_count);

/* Deletes about half of the learnt clauses from `clause_first` on: those that span the most levels,
 * of equals the youngest. Level 0 only. */
void cdcl_forget(struct cdcl *c, size_t clause_first);

#endif
