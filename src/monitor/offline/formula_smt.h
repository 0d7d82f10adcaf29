/* A formula over cuts as a problem for libz3, without writing it out as clauses: and, or and not
 * stay as they are, each subformula once (Plaisted and Greenbaum, 1986).
 *
 *     struct formula_smt f = {.cut = {.problem = &problem, .cuts = &h->cuts}, .h = h};
 *     formula_smt_build(&f, root, &range, is_packed);
 *     ... ask libz3 ...
 *     formula_smt_release(&f);
 *
 * The problem has a solution exactly if some cut of the range certainly satisfies the formula,
 * unless one of the flags below says otherwise.
 *
 * Encoding. An integer variable, the *guard*, stands for a subformula: it is at least 1 only where
 * the subformula certainly holds. A formula of one process forbids the runs of states in which it
 * does not hold. A number of one process has the value of the state that its process is in; another
 * variable says whether it has one. The least or greatest of two numbers is one of them, and not
 * beyond the other. A product is written out by the values of a factor, each of which makes the
 * product linear. */
#ifndef CLEW_MONITOR_OFFLINE_FORMULA_SMT_H
#define CLEW_MONITOR_OFFLINE_FORMULA_SMT_H

#include "base/map.h"
#include "monitor/offline/clause.h"
#include "monitor/offline/cut_smt.h"

struct formula_smt {
    struct cut_smt cut;
    struct state_history *h;
    struct map guards;  /* (cell, which side of it) to the variable that guards it */
    struct map numbers; /* (cell, how it is seen) to the variable that has its value */
    bool is_open;       /* an unknown value matters: "no solution" says nothing */
    bool is_beyond; /* a part reads a quantity without a value in a cut, or is no sum of products by
                       numbers of one process: cuts that need it are excluded */
    bool is_too_large; /* its numbers overflow: the problem says nothing */
};

/* Fills the problem, which is empty, with the cuts of the range and the formula. O(cells of the
 * formula * reports of the range). */
void formula_smt_build(struct formula_smt *f, uint32_t root, const struct cut_smt_range *range,
                       bool is_packed);
void formula_smt_release(struct formula_smt *f);

#endif
