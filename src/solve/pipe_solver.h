/* An external program that speaks SMT-LIB 2 as a solver: see solve.h for the contract. It must know
 * push, pop and get-value. A program that runs out of time is killed and restarted for the next
 * question; one that dies or violates the protocol is broken. */
#ifndef CLEW_SOLVE_PIPE_SOLVER_H
#define CLEW_SOLVE_PIPE_SOLVER_H

#include "solve/solve.h"

struct pipe_solver;

MUST_USE struct pipe_solver *pipe_solver_new(const struct solver_options *options,
                                             const struct problem *p, struct err *e);
void pipe_solver_free(struct pipe_solver *s);
void pipe_solver_decide(struct pipe_solver *s, const struct solve_question *question,
                        struct solve_answer *answer);

#endif
