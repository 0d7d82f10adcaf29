/* Random problems for solvers, and their truth by trying every assignment. */
#ifndef CLEW_TEST_RANDOM_PROBLEM_H
#define CLEW_TEST_RANDOM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "solve/problem.h"
#include "wire/prng.h"

struct random_problem {
    uint32_t variable_count_max; /* at least 2 */
    int64_t bound_max;           /* 0: only <, <= and =; else differences up to this too */
    bool has_zero;               /* some atoms compare with the constant 0 */
    bool has_sums;               /* some atoms are sums of up to four variables */
};

/* A random atom over the variables of p. */
struct solve_atom random_atom(struct problem *p, const struct random_problem *kind,
                              struct prng *prng);

/* Adds a random constraint: a fact, an exclusion of two pairs like that of two critical sections,
 * or a clause of up to four atoms. */
void random_constraint(struct problem *p, const struct random_problem *kind, struct prng *prng);

/* A problem with two or more variables and about as many constraints as make half of them
 * satisfiable. */
void random_problem(struct problem *p, const struct random_problem *kind, struct prng *prng);

/* Whether any values from -reach to reach satisfy p and the assumed atoms. O((2 reach + 1) ^ n). */
bool problem_is_satisfiable_slowly(const struct problem *p, const struct solve_atom *assumed,
                                   size_t assumed_count, int64_t reach);

#endif
