/* A cascade that decides whether a cut satisfies a formula of any shape: cheap approximations
 * first, then libz3 on the whole formula (formula_smt.h), part by part. */
#ifndef CLEW_MONITOR_OFFLINE_FORMULA_CASCADE_H
#define CLEW_MONITOR_OFFLINE_FORMULA_CASCADE_H

#include "monitor/offline/decide_clause.h"

struct formula_question {
    uint32_t root; /* the cell that must be true */
    struct solve_budget budget;
    bool is_packed; /* one integer per process instead of two (cut_smt.h) */
};

/* Decides the whole as one problem, as published. */
struct decision formula_decide(struct state_history *h, const struct formula_question *q,
                               uint32_t *taken);

/* Decides it in three steps. First it evaluates the cuts in the order of the clocks: one that
 * satisfies the formula is a witness. Then it divides the run into parts (time_partition.h) of
 * about `report_count` reports each. It skips a part when interval evaluation, each term by itself,
 * makes the formula false. libz3 decides the rest. The budget is for all parts together. */
struct decision formula_decide_parts(struct state_history *h, const struct formula_question *q,
                                     uint32_t report_count, uint32_t *taken);

/* Writes the whole as a script of SMT-LIB. Writes nothing when its numbers overflow or it reads a
 * quantity without a value in a cut. Fails (-1) when the file cannot be written. */
MUST_USE int formula_write(struct state_history *h, const struct formula_question *q,
                           const char *path, struct err *e);

#endif
