/* One step left out, and another taken from those that do the same: where the oldest of them does
 * not lead there the newest may, for this one step. */
#include "minimize/reduce.h"

enum { MATCHES_STEPS_MAX = 250 };

/* The best without step `out`, step `other` being the one that `match` says. */
static bool try_match(struct reducer *r, uint32_t out, uint32_t other, enum pick_match match)
{
    vec_clear(&r->candidate.wants);
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        if (i != out && i != r->partner_of.at[out]) {
            vec_push(&r->candidate.wants,
                     reducer_want(r, i, i == other ? match : PICK_SAME_OR_OLDEST));
        }
    }
    return reducer_try(r, &r->candidate);
}

void matches_stage(struct reducer *r)
{
    const uint32_t count = reducer_size(r);
    const bool is_fit = !reducer_is_longer(r, MATCHES_STEPS_MAX);
    for (uint32_t out = 0; out < count && is_fit; out++) {
        for (uint32_t other = 0; other < count && reducer_goes_on(r); other++) {
            if (other != out && reducer_may_go(r, out) &&
                (try_match(r, out, other, PICK_NEWEST) || try_match(r, out, other, PICK_OLDEST))) {
                return;
            }
        }
    }
}
