/* Leaving out: many steps at once, then few, then one. */
#include "minimize/stages/stages.h"

/* One round over all chunks of this many steps, from the end; those from outside count only where
 * they are asked for. True when something went. */
static bool leave_out_chunks(struct reducer *r, uint32_t size, bool are_externals_in)
{
    bool is_any = false;
    uint32_t end = reducer_size(r);
    while (end > 0 && reducer_goes_on(r)) {
        bool *is_out = reducer_marks(r);
        for (uint32_t marked = 0; end > 0 && marked < size; end--) {
            is_out[end - 1] =
                are_externals_in || !r->result->best.steps.at[end - 1].operation.is_external;
            marked += is_out[end - 1];
        }
        if (reducer_try_without(r, is_out)) {
            is_any = true;
            end = end < reducer_size(r) ? end : reducer_size(r);
        }
    }
    return is_any;
}

void chunks_stage(struct reducer *r)
{
    for (uint32_t size = reducer_size(r) / 2; size > 1 && reducer_goes_on(r); size /= 2) {
        (void)leave_out_chunks(r, size, false);
    }
}

void singles_stage(struct reducer *r)
{
    while (reducer_goes_on(r) && leave_out_chunks(r, 1, true)) {
    }
}

/* Marks the step and all steps that it caused; false when there are none. */
static bool mark_cone(const struct execution *x, uint32_t step, bool *is_out)
{
    bool is_cone = false;
    must(step < x->steps.count);
    is_out[step] = true;
    for (uint32_t i = step + 1; i < x->steps.count; i++) {
        const uint32_t cause = x->steps.at[i].cause;
        if (cause != STEP_NONE && cause < i && is_out[cause]) {
            is_cone = is_out[i] = true;
        }
    }
    return is_cone;
}

void cones_stage(struct reducer *r)
{
    uint32_t end = reducer_size(r);
    while (end > 0 && reducer_goes_on(r)) {
        bool *is_out = reducer_marks(r);
        end--;
        if (mark_cone(&r->result->best, end, is_out) && reducer_try_without(r, is_out)) {
            end = end < reducer_size(r) ? end : reducer_size(r);
        }
    }
}

enum { TRIPLES_STEPS_MAX = 40, PAIRS_STEPS_MAX = 400 };

static bool leave_out_three(struct reducer *r, uint32_t first, uint32_t second, uint32_t third)
{
    bool *is_out = reducer_marks(r);
    is_out[first] = is_out[second] = is_out[third] = true;
    return reducer_try_without(r, is_out);
}

static bool leave_out_any_two(struct reducer *r)
{
    const uint32_t count = reducer_size(r);
    for (uint32_t i = 0; i < count && reducer_goes_on(r); i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (leave_out_three(r, i, k, k)) {
                return true;
            }
        }
    }
    return false;
}

static bool leave_out_two_and_another(struct reducer *r, uint32_t first, uint32_t second)
{
    for (uint32_t third = second + 1; third < reducer_size(r); third++) {
        if (leave_out_three(r, first, second, third)) {
            return true;
        }
    }
    return false;
}

static void leave_out_any_three(struct reducer *r)
{
    const uint32_t count = reducer_size(r);
    for (uint32_t i = 0; i < count && reducer_goes_on(r); i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (leave_out_two_and_another(r, i, k)) {
                return;
            }
        }
    }
}

void pairs_stage(struct reducer *r)
{
    if (!reducer_is_longer(r, PAIRS_STEPS_MAX) && !leave_out_any_two(r) &&
        reducer_size(r) <= TRIPLES_STEPS_MAX && !reducer_is_trial(r)) {
        leave_out_any_three(r);
    }
}
