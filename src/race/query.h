/* Candidates as questions to a solver: the formula of a relation, and whoever answers. */
#ifndef CLEW_RACE_QUERY_H
#define CLEW_RACE_QUERY_H

#include "base/arena.h"
#include "base/err.h"
#include "order/hb.h"
#include "race/formula.h"
#include "race/judge.h"
#include "race/race.h"
#include "solve/solve.h"

struct query {
    const struct race_options *o;
    struct race_stats *stats;
    struct formula formula;
    struct solver *solver;
    uint64_t question_count;
    bool has_failed; /* a question could not be written; why is in failure */
    struct err failure;
};

/* Makes the folder that questions are written to (o->smtlib), if any are to be. */
MUST_USE int query_make_folder(const struct race_options *o, struct err *e);

/* Writes down the formula of hb, which is in scope REACH_ALL, and opens a solver. Fails when that
 * cannot be opened. */
MUST_USE int query_open(struct query *q, const struct hb *hb, const struct race_options *o,
                        struct race_stats *stats, struct arena *a, struct err *e);
void query_close(struct query *q);

/* -1 with the reason when a question could not be written to the folder. */
MUST_USE int query_written(const struct query *q, struct err *e);

/* Is any order allowed? One with a and b side by side? One with a before b? */
enum race_verdict query_any(struct query *q);
enum race_verdict query_adjacent(struct query *q, event_id a, event_id b);
enum race_verdict query_before(struct query *q, event_id a, event_id b);

/* Decides every candidate by a question. */
struct judge query_judge(struct query *q);

#endif
