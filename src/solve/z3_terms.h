/* libz3's context, with errors as a state of the terms, and problems as its terms.
 *
 * A failure of libz3 breaks the terms for good: later terms are harmless and meaningless, and
 * terms->is_broken is set. */
#ifndef CLEW_SOLVE_Z3_TERMS_H
#define CLEW_SOLVE_Z3_TERMS_H

#include <stdbool.h>
#include <z3.h>

#include "base/err.h"
#include "base/vec.h"
#include "solve/problem.h"

struct z3_terms {
    Z3_context context;
    Z3_sort integer;
    Z3_sort boolean;
    Z3_ast zero;
    VEC(Z3_ast) variables; /* made on first use of each number, and kept */
    VEC(Z3_ast) choices;   /* likewise, a boolean each */
    VEC(Z3_ast) held;      /* until z3_terms_let_go */
    bool is_broken;
    struct err reason;
};

/* Makes the context; bytes_max bounds the memory of all of libz3, 0 does not. Fails with e set. */
MUST_USE int z3_terms_open(struct z3_terms *t, uint64_t bytes_max, struct err *e);
void z3_terms_close(struct z3_terms *t);

/* Whether a call of libz3 has failed, now or before. Needed after calls whose result does not show
 * it. */
bool z3_terms_have_failed(struct z3_terms *t);

/* Breaks the terms for a reason of the caller. */
void z3_terms_fail(struct z3_terms *t, const char *reason);

/* Keeps a new term alive until z3_terms_let_go, and returns it. */
Z3_ast z3_terms_hold(struct z3_terms *t, Z3_ast term);
void z3_terms_let_go(struct z3_terms *t);

/* Variable and choice number i. */
Z3_ast z3_terms_variable(struct z3_terms *t, uint32_t i);
Z3_ast z3_terms_choice(struct z3_terms *t, uint32_t i);

/* Held. */
Z3_ast z3_terms_atom(struct z3_terms *t, const struct problem *p, struct solve_atom atom);
Z3_ast z3_terms_clause(struct z3_terms *t, const struct problem *p, struct solve_clause clause);
Z3_ast z3_terms_or(struct z3_terms *t, const Z3_ast *terms, size_t count);

#endif
