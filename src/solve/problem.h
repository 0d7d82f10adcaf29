/* A problem for a solver: integer variables, atoms that compare them, and clauses of atoms.
 *
 *     struct problem p = {0};
 *     const uint32_t clock = problem_variables(&p, 4);                 l1 u1 l2 u2
 *     problem_add(&p, solve_before(clock + 0, clock + 1));             l1 < u1
 *     problem_add(&p, solve_before(clock + 2, clock + 3));             l2 < u2
 *     problem_add_either(&p, solve_before(clock + 1, clock + 2),       u1 < l2 or u2 < l1
 *                        solve_before(clock + 3, clock + 0));
 *
 * A problem is plain data: every solver, the checker and the printer read the same one. It holds
 * when each of its clauses has an atom that holds. Scopes remove constraints, the last first:
 *
 *     problem_push(&p);  ... problem_add(&p, ...), ask ...;  problem_pop(&p);
 */
#ifndef CLEW_SOLVE_PROBLEM_H
#define CLEW_SOLVE_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire/must.h"

/* Stands in a difference for the constant 0, so that x - ZERO <= 7 means x <= 7. */
#define SOLVE_ZERO UINT32_MAX

enum solve_atom_kind {
    SOLVE_DIFFERENCE, /* left - right <= bound */
    SOLVE_EQUAL,      /* left - right  = bound */
    SOLVE_SUM,        /* a weighted sum <= bound */
    SOLVE_SUM_EQUAL,  /* a weighted sum  = bound */
};

/* One comparison. For sums, the terms are p->terms.at[first_term .. first_term + term_count). */
struct solve_atom {
    enum solve_atom_kind kind;
    union {
        uint32_t left;
        uint32_t first_term;
    };
    union {
        uint32_t right;
        uint32_t term_count;
    };
    int64_t bound;
};

struct solve_term {
    uint32_t variable;
    int64_t weight;
};

/* At least one of p->literals.at[first .. first + count) holds; no literal: unsatisfiable. */
struct solve_clause {
    uint32_t first;
    uint32_t count;
};

/* The sizes when a scope was opened. Ids grow and are never reused, so that an incremental solver
 * can tell which scopes it still knows. */
struct problem_scope {
    uint64_t id;
    uint32_t variable_count;
    size_t term_count;
    size_t literal_count;
    size_t clause_count;
    uint32_t sum_count;
    uint64_t bound_size_max;
};

/* {0} is the problem without variables, which holds. */
struct problem {
    uint32_t variable_count;
    VEC(struct solve_term) terms;
    VEC(struct solve_atom) literals;
    VEC(struct solve_clause) clauses;
    VEC(struct problem_scope) scopes;
    uint64_t scope_id_last;
    uint32_t sum_count;      /* literals that are sums */
    uint64_t bound_size_max; /* the largest bound of the other literals, without its sign */
};

void problem_release(struct problem *p);

/* Adds count variables, numbered from the result on. They may take any integer value. */
uint32_t problem_variables(struct problem *p, uint32_t count);

/* The atom must hold. */
void problem_add(struct problem *p, struct solve_atom atom);

/* At least one of the atoms must hold. */
void problem_add_clause(struct problem *p, const struct solve_atom *atoms, size_t count);
void problem_add_either(struct problem *p, struct solve_atom a, struct solve_atom b);

/* Opens a scope; problem_pop removes the variables, sums and constraints added since. */
void problem_push(struct problem *p);
void problem_pop(struct problem *p);

/* left < right */
static inline struct solve_atom solve_before(uint32_t left, uint32_t right)
{
    return (struct solve_atom){.kind = SOLVE_DIFFERENCE, .left = left, .right = right, .bound = -1};
}

/* left <= right */
static inline struct solve_atom solve_not_after(uint32_t left, uint32_t right)
{
    return (struct solve_atom){.kind = SOLVE_DIFFERENCE, .left = left, .right = right};
}

/* left = right */
static inline struct solve_atom solve_same(uint32_t left, uint32_t right)
{
    return (struct solve_atom){.kind = SOLVE_EQUAL, .left = left, .right = right};
}

/* left - right <= bound */
static inline struct solve_atom solve_within(uint32_t left, uint32_t right, int64_t bound)
{
    return (struct solve_atom){
        .kind = SOLVE_DIFFERENCE, .left = left, .right = right, .bound = bound};
}

/* variable <= bound, variable >= bound, variable = value. */
static inline struct solve_atom solve_at_most(uint32_t variable, int64_t bound)
{
    return solve_within(variable, SOLVE_ZERO, bound);
}

static inline struct solve_atom solve_at_least(uint32_t variable, int64_t bound)
{
    must(bound != INT64_MIN);
    return solve_within(SOLVE_ZERO, variable, -bound);
}

static inline struct solve_atom solve_value(uint32_t variable, int64_t value)
{
    return (struct solve_atom){
        .kind = SOLVE_EQUAL, .left = variable, .right = SOLVE_ZERO, .bound = value};
}

/* The weighted sum of the terms, which are copied into p and live as long as its scope, is at most
 * (exactly) the bound. A sum that is a difference becomes one. */
struct solve_atom problem_sum_at_most(struct problem *p, const struct solve_term *terms,
                                      size_t count, int64_t bound);
struct solve_atom problem_sum_equal(struct problem *p, const struct solve_term *terms, size_t count,
                                    int64_t bound);

static inline bool solve_is_sum(struct solve_atom atom)
{
    return atom.kind == SOLVE_SUM || atom.kind == SOLVE_SUM_EQUAL;
}

/* The absolute value of the bound. */
static inline uint64_t solve_bound_size(struct solve_atom atom)
{
    return atom.bound < 0 ? -(uint64_t)atom.bound : (uint64_t)atom.bound;
}

/* Whether the atom holds in the model, an integer for each variable of p. */
bool problem_atom_holds(const struct problem *p, struct solve_atom atom, const int64_t *model);

/* The checker of every solver's models: the index of the first clause of p that does not hold in
 * the model, -1 when all do. */
ptrdiff_t problem_check(const struct problem *p, const int64_t *model);

#endif
