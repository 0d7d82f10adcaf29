/* The native solver: exact for differences and equalities under clauses. See solve.h for the
 * contract and docs/theory/solve.md for why it is exact.
 */
#ifndef CLEW_SOLVE_ORDER_SOLVER_H
#define CLEW_SOLVE_ORDER_SOLVER_H

#include "solve/solve.h"

struct order_solver;

MUST_USE struct order_solver *order_solver_new(const struct problem *p);
void order_solver_free(struct order_solver *s);
void order_solver_decide(struct order_solver *s, const struct solve_question *question,
                         struct solve_answer *answer);

#endif
