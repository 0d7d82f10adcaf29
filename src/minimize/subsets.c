/* Leaving out: many steps at once, then few, then one. */
#include "minimize/reduce.h"

struct indices {
    VEC(uint32_t) list;
};

typedef bool (*chosen_fn)(const struct step *step);

static void list_steps(const struct reducer *r, chosen_fn is_chosen, struct indices *indices)
{
    vec_clear(&indices->list);
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        if (is_chosen(&r->result->best.steps.at[i])) {
            vec_push(&indices->list, i);
        }
    }
}

/* One round over all chunks of this size, from the end; true when something went. */
static bool leave_out_chunks(struct reducer *r, chosen_fn is_chosen, struct indices *indices,
                             size_t size)
{
    bool is_any = false;
    list_steps(r, is_chosen, indices);
    size_t end = indices->list.count;
    while (end > 0 && reducer_goes_on(r)) {
        const size_t begin = end > size ? end - size : 0;
        bool *is_out = reducer_marks(r);
        for (size_t i = begin; i < end; i++) {
            is_out[indices->list.at[i]] = true;
        }
        end = begin;
        if (reducer_try_without(r, is_out)) {
            is_any = true;
            list_steps(r, is_chosen, indices);
            end = end < indices->list.count ? end : indices->list.count;
        }
    }
    return is_any;
}

/* Delta debugging: halves, quarters ..., and single ones until none can go. */
static void leave_out(struct reducer *r, chosen_fn is_chosen)
{
    struct indices indices = {0};
    list_steps(r, is_chosen, &indices);
    size_t size = indices.list.count / 2;
    while (size > 1 && reducer_goes_on(r)) {
        (void)leave_out_chunks(r, is_chosen, &indices, size);
        size = size / 2;
    }
    while (reducer_goes_on(r) && leave_out_chunks(r, is_chosen, &indices, 1)) {
    }
    vec_release(&indices.list);
}

static bool is_external(const struct step *step)
{
    return step->operation.is_external;
}

static bool is_any(const struct step *step)
{
    (void)step;
    return true;
}

void externals_stage(struct reducer *r)
{
    leave_out(r, is_external);
}

void chunks_stage(struct reducer *r)
{
    leave_out(r, is_any);
}

/* Marks the step and all that came of it; false when nothing did. */
static bool mark_cone(const struct execution *x, uint32_t step, bool *is_out)
{
    bool is_cone = false;
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

void pairs_stage(struct reducer *r)
{
    const uint32_t count = reducer_size(r);
    for (uint32_t i = 0; i < count && count <= PAIRS_STEPS_MAX && reducer_goes_on(r); i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (leave_out_three(r, i, k, k)) {
                return;
            }
        }
    }
    for (uint32_t i = 0; i < count && count <= TRIPLES_STEPS_MAX && reducer_goes_on(r); i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            for (uint32_t l = k + 1; l < count; l++) {
                if (leave_out_three(r, i, k, l)) {
                    return;
                }
            }
        }
    }
}
