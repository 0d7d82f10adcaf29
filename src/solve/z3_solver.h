/* libz3 as a solver: see solve.h for the contract. Differences go to its difference logic, with
 * only those clauses that a partial solution breaks; sums to its linear integer arithmetic. */
#ifndef CLEW_SOLVE_Z3_SOLVER_H
#define CLEW_SOLVE_Z3_SOLVER_H

#include "solve/solve.h"

struct z3_solver;

MUST_USE struct z3_solver *z3_solver_new(const struct solver_options *options,
                                         const struct problem *p, struct err *e);
void z3_solver_free(struct z3_solver *s);
void z3_solver_decide(struct z3_solver *s, const struct solve_question *question,
                      struct solve_answer *answer);

#endif
