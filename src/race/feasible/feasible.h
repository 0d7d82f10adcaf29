/* Read-from consistency: is there a prefix of an execution in which every read sees the write it
 * saw, and in which the pair comes next? Exact, up to a budget.
 *
 *     struct feasible *f = feasible_new(hb, &(struct feasible_options){0});
 *     sound_order order = {0};
 *     if (feasible_decide(f, &pair, &order) == RACE_YES) { ... order shows it ... }
 *     vec_release(&order);
 *     feasible_free(f);
 *
 * docs/theory/races-semantics.md defines prefixes; docs/theory/races.md has the algorithm.
 *
 * On a recording (hb->reads is there) *yes* is certain because only closed cuts say it, *no*
 * because reads in doubt may have seen anything; the rest is left open. FEASIBLE_REORDERED
 * comes with an order, which may prove the race (reordered.h). */
#ifndef CLEW_RACE_FEASIBLE_FEASIBLE_H
#define CLEW_RACE_FEASIBLE_FEASIBLE_H

#include <stdint.h>

#include "base/limit.h"
#include "order/hb.h"
#include "race/decider.h"
#include "race/feasible/relevant_events.h"
#include "race/race.h"
#include "race/sound/sync_preserving.h"

/* Bounds on the cost of one question; 0 is the default. */
struct feasible_options {
    uint64_t step_max;         /* of the solver: a million */
    size_t event_max;          /* that the question is about: 20,000 */
    size_t clause_max;         /* that say so: 200,000 */
    event_id window_min;       /* before the pair, that are asked about first, of many: 64 */
    bool is_about_many;        /* many questions will come: prepares to refuse fast */
    struct limit_watch *watch; /* of all questions together; NULL: none */
};

/* Why a question was left open. */
enum feasible_open {
    FEASIBLE_DECIDED,
    FEASIBLE_BUDGET,    /* steps, clauses or time ended */
    FEASIBLE_HARD,      /* the solver ended at its limit of steps */
    FEASIBLE_TOO_LARGE, /* it is about too many events */
    FEASIBLE_DOUBT,     /* recordings: a read that may have to come is in doubt */
    FEASIBLE_REORDERED, /* recordings: only another order of sections shows it, in which accesses
                           that the recording left out may read something else */
};

struct feasible_stats {
    uint64_t by_cut;    /* answered yes by a cut */
    uint64_t by_order;  /* yes: the needed events, in the order of the list, are a prefix */
    uint64_t by_reach;  /* no: one must come before the other */
    uint64_t by_lock;   /* no: both hold a lock that excludes them */
    uint64_t by_window; /* either, by the events around the pair */
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

/* Decides two accesses by the events listed from a little before them on, in windows that widen: a
 * refusal that needs no more holds, and so does a way on from a closed cut. RACE_UNKNOWN where
 * neither is found. Only where many questions were announced. */
enum race_verdict feasible_decide_near(struct feasible *f, const struct sound_pair *pair,
                                       sound_order *order);

/* The same as feasible_decide for a deadlock: the order is a prefix and then the requests, which
 * block. */
enum race_verdict feasible_decide_deadlock(struct feasible *f, const struct deadlock_state *d,
                                           sound_order *order);

/* The same as a judge. */
struct judge feasible_judge(struct feasible *f);

/* Why the last question was left open. */
enum feasible_open feasible_why_open(const struct feasible *f);

/* Whether one of the two accesses is needed before the other, so that nothing shows them side by
 * side: a look-up, never wrong when true. Only where many questions were announced. */
bool feasible_is_refused(struct feasible *f, event_id a, event_id b);

/* How many events of the main chain of `task` are needed before this access can come next; only
 * where many questions were announced and the trace has no handlers. */
uint32_t feasible_needed_of(struct feasible *f, event_id id, uint32_t task);

const struct feasible_stats *feasible_stats(const struct feasible *f);

#endif
