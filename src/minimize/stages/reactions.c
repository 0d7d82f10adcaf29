/* Reactions: a timer or a request with all messages that it caused, up to the next timers. An
 * election, a round of heartbeats: where all of it is removed, none of its messages is left on the
 * way, and the rest may run as before, in other terms. */
#include "minimize/stages/stages.h"

/* The reactions of the best, in the order of their roots. */
struct reactions {
    VEC(uint32_t) of; /* of each step, its number */
    VEC(uint32_t) roots;
};

static bool is_root(const struct step *step)
{
    return step->cause == STEP_NONE || step->operation.is_external ||
           step->operation.kind != EVENT_RECV;
}

static void find_reactions(const struct reducer *r, struct reactions *c)
{
    vec_clear(&c->of);
    vec_clear(&c->roots);
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        const struct step *step = &r->result->best.steps.at[i];
        const bool is_new = is_root(step);
        vec_push(&c->of, is_new ? (uint32_t)c->roots.count : c->of.at[step->cause]);
        if (is_new) {
            vec_push(&c->roots, i);
        }
    }
    must(c->of.count == reducer_size(r));
    must(c->roots.count <= reducer_size(r));
}

/* Some reactions in a row. */
struct row {
    uint32_t first, count;
    bool keeps_roots; /* only the caused messages go */
};

static bool try_without_row(struct reducer *r, const struct reactions *c, struct row row)
{
    bool *is_out = reducer_marks(r);
    bool is_any = false;
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        const uint32_t reaction = c->of.at[i];
        is_out[i] = reaction >= row.first && reaction - row.first < row.count &&
                    (!row.keeps_roots || c->roots.at[reaction] != i);
        is_any = is_any || is_out[i];
    }
    return is_any && reducer_try_without(r, is_out);
}

/* All rows of `count` reactions, from the end; true when a step was removed. */
static bool leave_out_rows(struct reducer *r, struct reactions *c, uint32_t count)
{
    bool is_any = false;
    uint32_t end = (uint32_t)c->roots.count;
    while (end > 0 && reducer_goes_on(r)) {
        struct row row = {.first = end > count ? end - count : 0};
        row.count = end - row.first;
        bool is_better = try_without_row(r, c, row);
        if (!is_better) {
            row.keeps_roots = true;
            is_better = try_without_row(r, c, row);
        }
        if (is_better) {
            is_any = true;
            find_reactions(r, c);
        }
        end = row.first < c->roots.count ? row.first : (uint32_t)c->roots.count;
    }
    return is_any;
}

void reactions_stage(struct reducer *r)
{
    struct reactions c = {0};
    bool is_any = !r->world->has_tasks;
    if (!is_any) {
        reducer_note(r, "skipped: only for simulated systems");
    }
    while (is_any && reducer_goes_on(r)) {
        is_any = false;
        find_reactions(r, &c);
        for (uint32_t count = (uint32_t)c.roots.count / 2; count > 0; count /= 2) {
            is_any = leave_out_rows(r, &c, count) || is_any;
        }
    }
    vec_release(&c.of);
    vec_release(&c.roots);
}
