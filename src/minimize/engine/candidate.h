/* Candidates: sequences of requested operations, and the ways to run one. A run that is better than
 * the reducer's best becomes the best. */
#ifndef CLEW_MINIMIZE_ENGINE_CANDIDATE_H
#define CLEW_MINIMIZE_ENGINE_CANDIDATE_H

#include "base/vec.h"
#include "pick/pick.h"
#include "world/world.h"

struct reducer;

/* Requested operations, one after another. */
struct candidate {
    VEC(struct pick_want) wants;
    uint32_t wants_kept; /* the next candidates begin with these, too */
};

/* How steps are found again in a run in which others are missing: the matches to try, in order. */
enum { WAYS_MAX = 4 };
struct ways {
    enum pick_match at[WAYS_MAX];
    uint32_t count;
};

/* Step `index` of the best, or any operation, as a request. */
struct pick_want reducer_want(const struct reducer *r, uint32_t index, enum pick_match match);
struct pick_want reducer_want_of(const struct pick_operation *o, enum pick_match match);

/* Whether step `index` of the best may be left out: the system may not call it unignorable. */
bool reducer_may_go(const struct reducer *r, uint32_t index);

/* Runs the candidate. True when its execution is better than the best: the same violation with
 * fewer steps, or as many and fewer external ones. Then it is the best, and steps have other
 * numbers. */
bool reducer_try(struct reducer *r, const struct candidate *c);

/* Runs the candidate. True when the violation shows, better or not; a better execution becomes the
 * best. */
bool reducer_shows(struct reducer *r, const struct candidate *c);

/* Marks for `count` steps, or one for each step of the best, all clear; valid until the next call.
 */
bool *reducer_marks_of(struct reducer *r, uint32_t count);
bool *reducer_marks(struct reducer *r);

/* Tries the best without the steps marked in `is_out` (and without the rest of their atoms), with
 * each way to match the remaining steps. */
bool reducer_try_without(struct reducer *r, const bool *is_out);

/* The first `cut` steps of the best, and then choices of the strategy, steps_max steps in all. */
struct tail {
    uint32_t cut;
    uint32_t steps_max;
    enum pick_strategy strategy;
    uint64_t seed;           /* of the strategy and the nodes */
    uint32_t externals_max;  /* in the whole run; 0: any number */
    bool has_rare_timers;    /* the strategy takes few of them */
    const uint64_t *actions; /* in ascending order, the allowed ones; NULL: all */
    size_t action_count;
};
bool reducer_try_tail(struct reducer *r, const struct tail *tail);

/* In a world of tasks: the default, but for these turns. Runs it as a candidate; or runs it with
 * the operations that were pending at each step, which is false when the world cannot run it. */
bool reducer_try_turns(struct reducer *r, const struct pick_turn *turns, uint32_t count);
bool reducer_look_turns(struct reducer *r, const struct pick_turn *turns, uint32_t count,
                        struct execution *x);

/* The best once more with the operations that were pending at each step; NULL when it cannot be
 * run. Valid until the next run. */
const struct execution *reducer_look(struct reducer *r);

/* Likewise the candidate's execution. Valid until the next look. */
const struct execution *reducer_look_at(struct reducer *r, const struct candidate *c);

#endif
