/* Ways round: the best with something changed that makes it no shorter by itself, and then
 * without all that can go. */
#include "minimize/engine/trial.h"
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"

enum { DETOUR_STEPS_MAX = 120, SEEDS_MAX = 300 };

/* Runs r's candidate, and removes single steps until none can go. An execution that was seen before
 * is skipped. True when the result is better than the best. */
static bool try_round(struct reducer *r, uint64_t seed, struct map *seen)
{
    static const struct ways ways = {{PICK_SAME_OR_OLDEST, PICK_SAME_OR_NEWEST}, 2};
    struct minimized found = {0};
    struct reducer trial = {.result = &found};
    struct plan plan = r->result->plan;
    plan.pick.seed = seed;
    reducer_begin_trial(&trial, r);
    trial.ways = ways;
    if (reducer_take_another(&trial, &plan, &r->candidate) &&
        map_get(seen, name_mix(found.best.hash, seed)) == NULL) {
        map_put(seen, name_mix(found.best.hash, seed), 1);
        singles_stage(&trial);
    }
    const bool is_better = reducer_end_trial(r, &trial);
    minimized_release(&found);
    return is_better;
}

static bool is_fit(struct reducer *r)
{
    return !reducer_is_bound(r) && !reducer_is_longer(r, DETOUR_STEPS_MAX);
}

/* Other random numbers of the nodes: with them the violation may need fewer steps. */
void seeds_stage(struct reducer *r)
{
    struct map seen = {0};
    for (uint32_t i = 0; i < SEEDS_MAX && is_fit(r) && reducer_goes_on(r); i++) {
        vec_clear(&r->candidate.wants);
        for (uint32_t k = 0; k < reducer_size(r); k++) {
            vec_push(&r->candidate.wants,
                     reducer_want(r, k, i % 2 == 0 ? PICK_SAME_OR_OLDEST : PICK_SAME_OR_NEWEST));
        }
        (void)try_round(r, i / 2 + 1, &seen);
    }
    map_release(&seen);
}

/* One step more, and then fewer: something that the best left pending may make several of its steps
 * needless. Each is put in wherever it was pending. */

struct detour {
    uint32_t before; /* which step */
    struct pick_want want;
};

/* Every operation that was pending and not taken at a step; of equivalent ones, the first. */
struct detours {
    VEC(struct detour) list;
};

static void list_detours(struct reducer *r, struct detours *d)
{
    const struct execution *x = reducer_look(r);
    for (uint32_t i = 0; x != NULL && i < x->steps.count; i++) {
        const struct step *step = &x->steps.at[i];
        for (uint32_t k = 0; k < step->pending_count; k++) {
            const struct pick_operation *o = &x->pending.at[step->pending_first + k];
            if (o->name != step->operation.name && o->fault == 0) {
                vec_push(&d->list, (struct detour){.before = i,
                                                   .want = {.action = o->action,
                                                            .content = o->content,
                                                            .match = PICK_SAME_OR_OLDEST}});
            }
        }
    }
}

/* True when the result is better. */
static bool try_detour(struct reducer *r, const struct detour *d, struct map *seen)
{
    vec_clear(&r->candidate.wants);
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        if (i == d->before) {
            vec_push(&r->candidate.wants, d->want);
        }
        vec_push(&r->candidate.wants, reducer_want(r, i, PICK_SAME_OR_OLDEST));
    }
    return try_round(r, r->result->plan.pick.seed, seen);
}

void insert_then_remove_stage(struct reducer *r)
{
    struct detours d = {0};
    struct map seen = {0};
    if (is_fit(r)) {
        list_detours(r, &d);
    }
    vec_each (&d.list, detour) {
        if (!reducer_goes_on(r) || try_detour(r, detour, &seen)) {
            break;
        }
    }
    vec_release(&d.list);
    map_release(&seen);
}
