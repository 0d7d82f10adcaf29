/* One step moved, and another left out: the other may only have been needed to let the first come.
 */
#include "minimize/stages/stages.h"

enum { REACH = 12, MOVES_STEPS_MAX = 150 };

/* The best with step `moved` put before step `to`, without step `out`. */
static bool try_move(struct reducer *r, uint32_t moved, uint32_t to, uint32_t out)
{
    const uint32_t count = reducer_size(r);
    must(moved < count);
    must(to <= count);
    const uint32_t partner = r->partner_of.at[out];
    if (out == moved || partner == moved || !reducer_may_go(r, out)) {
        return false;
    }
    vec_clear(&r->candidate.wants);
    for (uint32_t i = 0; i <= count; i++) {
        if (i == to) {
            vec_push(&r->candidate.wants, reducer_want(r, moved, PICK_SAME_OR_OLDEST));
        }
        if (i < count && i != moved && i != out && i != partner) {
            vec_push(&r->candidate.wants, reducer_want(r, i, PICK_SAME_OR_OLDEST));
        }
    }
    return reducer_try(r, &r->candidate);
}

static bool try_move_and_leave_out_any(struct reducer *r, uint32_t moved, uint32_t to)
{
    for (uint32_t out = 0; out < reducer_size(r); out++) {
        if (try_move(r, moved, to, out)) {
            return true;
        }
    }
    return false;
}

void move_step_stage(struct reducer *r)
{
    const uint32_t count = reducer_size(r);
    const bool is_fit = !reducer_is_longer(r, MOVES_STEPS_MAX);
    for (uint32_t moved = 0; moved < count && is_fit; moved++) {
        const uint32_t first = moved > REACH ? moved - REACH : 0;
        const uint32_t last = moved + REACH < count ? moved + REACH : count;
        for (uint32_t to = first; to <= last && reducer_goes_on(r); to++) {
            const bool is_elsewhere = to != moved && to != moved + 1;
            if (is_elsewhere && try_move_and_leave_out_any(r, moved, to)) {
                return;
            }
        }
    }
}
