/* Read-from consistency: is there a prefix of an execution in which every read sees the write it
 * saw, and in which the pair comes next? Exact, up to a budget.
 *
 *     struct feasible *f = feasible_new(hb, &(struct feasible_options){0});
 *     sound_order order = {0};
 *     if (feasible_decide(f, &pair, &order) == RACE_YES) { ... order shows it ... }
 *     vec_release(&order);
 *     feasible_free(f);
 *
 * What a prefix is, is said in docs/theory/races-semantics.md; how this decides, in
 * docs/theory/races.md. */
#ifndef CLEW_RACE_FEASIBLE_H
#define CLEW_RACE_FEASIBLE_H

#include <stdint.h>

#include "base/limit.h"
#include "order/hb.h"
#include "race/judge.h"
#include "race/race.h"
#include "race/sound.h"

/* What one question may cost; 0 is the default. */
struct feasible_options {
    uint64_t step_max;         /* of the solver: a million */
    size_t event_max;          /* that the question is about: 20,000 */
    size_t clause_max;         /* that say so: 200,000 */
    bool is_about_many;        /* many questions will come: prepares to refuse fast */
    struct limit_watch *watch; /* of all questions together; NULL: none */
};

struct feasible_stats {
    uint64_t by_cut;    /* answered yes by a cut */
    uint64_t by_order;  /* yes by what is needed, in the order of the list */
    uint64_t by_reach;  /* no: one must come before the other */
    uint64_t by_solver; /* asked */
    uint64_t steps;     /* that the solver took */
    uint64_t unknown;
};

struct feasible;

/* For questions about the trace of hb, which was built with HB_STRICT and outlives f. */
struct feasible *feasible_new(const struct hb *hb, const struct feasible_options *o);
void feasible_free(struct feasible *f);

/* Decides. When yes and order is not NULL, it is filled with a prefix and then the pair (of
 * messages: the receive). */
enum race_verdict feasible_decide(struct feasible *f, const struct sound_pair *pair,
                                  sound_order *order);

/* The same as a judge. */
struct judge feasible_judge(struct feasible *f);

const struct feasible_stats *feasible_stats(const struct feasible *f);

#endif
