/* Candidates as questions to a solver: the formula of a relation, and the solver. */
#ifndef CLEW_RACE_STRICT_SOLVER_QUERY_H
#define CLEW_RACE_STRICT_SOLVER_QUERY_H

#include "base/arena.h"
#include "base/err.h"
#include "order/hb.h"
#include "race/decider.h"
#include "race/groups.h"
#include "race/race.h"
#include "race/strict/strict_smt.h"
#include "solve/solve.h"

struct query {
    struct race_groups *y; /* whom it answers */
    struct formula formula;
    struct solver *solver; /* NULL: the formula would be too large, every answer is unknown */
    uint64_t question_count;
    bool has_failed; /* a question could not be written; why is in failure */
    struct err failure;
};

/* Makes the folder that questions are written to (o->smtlib), if any are to be. */
MUST_USE int query_make_folder(const struct race_options *o, struct err *e);

/* Writes down the formula of hb, which is in scope REACH_ALL, and opens the solver that the options
 * of the groups name. Fails when that cannot be opened. */
MUST_USE int query_open(struct query *q, const struct hb *hb, struct race_groups *y,
                        struct arena *a, struct err *e);
void query_close(struct query *q);

/* Answers the groups from now on: counts for it, by its budget. */
void query_serve(struct query *q, struct race_groups *y);

/* False when every answer will be unknown. */
static inline bool query_can_answer(const struct query *q)
{
    return q->solver != NULL;
}

/* -1 with the reason when a question could not be written to the folder. */
MUST_USE int query_written(const struct query *q, struct err *e);

/* Is any order allowed? One with a and b side by side? One with a before b? */
enum race_verdict query_any(struct query *q);
enum race_verdict query_adjacent(struct query *q, event_id a, event_id b);
enum race_verdict query_before(struct query *q, event_id a, event_id b);

/* Decides every candidate by a question. */
struct judge query_judge(struct query *q);

#endif
