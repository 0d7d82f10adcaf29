/* Other runs, each made as short as it gets: the least of them is where the best should be. Most
 * are echoes of the run that is minimized, since it shows the violation; of those by chance every
 * other one is made of the best's kinds of steps, with no more from outside. */
#include "minimize/reduce.h"

enum {
    FRUITLESS_MAX = 40,   /* in a row; those that take long count as several: */
    FRUITLESS_NONE = 10,  /* where no run showed the violation */
    FRUITLESS_NEAR = 4,   /* near to the best */
    ANEW_ECHOES = 8,      /* of so many, all but one */
    ANEW_NEAR = 3,        /* to the best: worth more than a quick look */
    ANEW_STEPS_MIN = 100, /* of a run that may do anything */
    ANEW_SIZE_MIN = 10,
    ANEW_STEPS_MAX = 2000000, /* until one is found */
};

struct kinds {
    VEC(uint64_t) actions;
};

/* What the best does, in ascending order. */
static void list_kinds(const struct reducer *r, struct kinds *k)
{
    vec_each (&r->result->best.steps, step) {
        const uint64_t action = step->operation.action;
        size_t at = k->actions.count;
        while (at > 0 && k->actions.at[at - 1] > action) {
            at--;
        }
        if (at == 0 || k->actions.at[at - 1] != action) {
            vec_push(&k->actions, action);
            for (size_t i = k->actions.count - 1; i > at; i--) {
                k->actions.at[i] = k->actions.at[i - 1];
            }
            k->actions.at[at] = action;
        }
    }
}

static struct tail draw_anew(const struct reducer *r, uint32_t number, const struct kinds *k)
{
    const uint32_t size = reducer_size(r);
    const uint64_t drawn = chance_seed(r, number);
    struct tail tail = {
        .strategy = chance_strategy(number / 2), .has_rare_timers = drawn % 2 == 0, .seed = drawn};
    if (number % 2 == 0) {
        tail.steps_max = 2 * size;
        tail.externals_max = r->result->final_externals;
        tail.actions = k->actions.at;
        tail.action_count = k->actions.count;
    } else {
        tail.steps_max = 4 * size > ANEW_STEPS_MIN ? 4 * size : ANEW_STEPS_MIN;
    }
    return tail;
}

/* Begins the trial with a run by chance. */
static bool begin_by_chance(struct reducer *trial, const struct reducer *r, uint32_t number)
{
    struct kinds kinds = {0};
    list_kinds(r, &kinds);
    const struct tail tail = draw_anew(r, number, &kinds);
    const uint32_t runs = ANEW_STEPS_MAX / tail.steps_max;
    const bool is_any =
        reducer_find_another(trial, &tail, runs < chance_runs_max(r) ? runs : chance_runs_max(r));
    vec_release(&kinds.actions);
    return is_any;
}

/* Begins it with an echo of the run that is minimized. */
static bool begin_with_echo(struct reducer *trial, const struct reducer *r, uint32_t number)
{
    const struct past first = reducer_first(r);
    const struct plan plan = {.pick.seed = r->result->plan.pick.seed, .faults = r->faults};
    struct prng prng;
    prng_init(&prng, chance_seed(r, number));
    uint64_t spent = 0;
    bool is_any = false;
    for (uint32_t i = 0;
         i < chance_runs_max(r) && spent < ANEW_STEPS_MAX && !is_any && reducer_goes_on(trial);
         i++) {
        echoes_draw(trial, &first, &prng);
        is_any = reducer_take_another(trial, &plan, &trial->candidate);
        spent += trial->candidate.wants.count;
    }
    return is_any;
}

/* What makes it short soon, and what takes long and is worth it only near the best. */
static const uint32_t stages_quick = 1u << STAGE_SLICE | 1u << STAGE_SWITCHES |
                                     1u << STAGE_EXTERNALS | 1u << STAGE_CLUSTERS |
                                     1u << STAGE_REACTIONS | 1u << STAGE_CHUNKS |
                                     1u << STAGE_CONES | 1u << STAGE_STRANDS | 1u << STAGE_SINGLES;
static const uint32_t stages_near = 1u << STAGE_SEEDS | 1u << STAGE_CONTENTS | 1u << STAGE_DRIFT;

/* One more, and what it was worth if it came to nothing better. */
static bool try_anew(struct reducer *r, uint32_t number, uint32_t *worth)
{
    const struct past first = reducer_first(r);
    const uint32_t echoes = echoes_are_worth(&first) ? ANEW_ECHOES : 1;
    struct minimized found = {0};
    struct reducer other = {.result = &found};
    reducer_begin_trial(&other, r);
    const bool is_any = number % echoes != 0 ? begin_with_echo(&other, r, number)
                                             : begin_by_chance(&other, r, number / echoes);
    if (is_any) {
        reducer_run_stages(&other, ~stages_quick);
    }
    const bool is_near = is_any && reducer_size(&other) <= reducer_size(r) + ANEW_NEAR;
    if (is_near) {
        reducer_run_stages(&other, ~(stages_quick | stages_near));
    }
    *worth = !is_any ? FRUITLESS_NONE : is_near ? FRUITLESS_NEAR : 1;
    const bool is_better = reducer_end_trial(r, &other);
    minimized_release(&found);
    return is_better;
}

/* Once: what later stages find is shorter than all of these. Echoes are all different; without them
 * it ends soon. */
void anew_stage(struct reducer *r)
{
    const struct past first = reducer_first(r);
    const uint32_t fruitless_max = echoes_are_worth(&first) ? UINT32_MAX : FRUITLESS_MAX;
    const bool is_fit =
        !r->is_anew_done && !reducer_is_bound(r) && !reducer_is_shorter(r, ANEW_SIZE_MIN);
    uint32_t fruitless = 0;
    uint64_t begun = r->result->replays;
    for (uint32_t i = 0; is_fit && fruitless < fruitless_max &&
                         r->result->replays - begun < chance_runs_max(r) && reducer_goes_on(r);
         i++) {
        uint32_t worth = 0;
        if (try_anew(r, i, &worth)) {
            fruitless = 0;
            begun = r->result->replays;
        } else {
            fruitless += worth;
        }
    }
    r->is_anew_done = true;
}
