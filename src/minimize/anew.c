/* Other runs, each made as short as it gets: the least of them is where the best should be. */
#include "minimize/reduce.h"

enum {
    FRUITLESS_MAX = 40,   /* in a row; those that take long count as several: */
    FRUITLESS_NONE = 10,  /* where no run showed the violation */
    FRUITLESS_NEAR = 4,   /* near to the best */
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

/* Where another run comes from. */
enum source {
    SOURCE_ECHO,  /* of the run that is minimized */
    SOURCE_KINDS, /* by chance, of the best's kinds of steps, with no more from outside */
    SOURCE_ANY,   /* by chance */
    SOURCE_COUNT
};

/* What was spent on each, in steps, and how often it had one. */
struct sources {
    uint64_t spent[SOURCE_COUNT];
    uint32_t found[SOURCE_COUNT];
};

/* The one that costs least for each that it had. */
static enum source next_source(const struct sources *s, bool has_echoes)
{
    enum source next = SOURCE_KINDS;
    for (int i = has_echoes ? SOURCE_ECHO : SOURCE_KINDS; i < SOURCE_COUNT; i++) {
        if (s->spent[i] / (s->found[i] + 1) < s->spent[next] / (s->found[next] + 1)) {
            next = (enum source)i;
        }
    }
    return next;
}

static bool begin_by_chance(struct reducer *trial, const struct reducer *r, enum source source,
                            uint64_t seed)
{
    struct kinds kinds = {0};
    list_kinds(r, &kinds);
    const uint32_t size = reducer_size(r);
    const uint32_t size_any = 4 * size > ANEW_STEPS_MIN ? 4 * size : ANEW_STEPS_MIN;
    struct tail tail = {.strategy = chance_strategy(seed / 2),
                        .has_rare_timers = seed % 2 == 0,
                        .seed = seed,
                        .steps_max = source == SOURCE_KINDS ? 2 * size : size_any};
    if (source == SOURCE_KINDS) {
        tail.externals_max = r->result->final_externals;
        tail.actions = kinds.actions.at;
        tail.action_count = kinds.actions.count;
    }
    const uint32_t runs = ANEW_STEPS_MAX / tail.steps_max;
    const bool is_any =
        reducer_find_another(trial, &tail, runs < chance_runs_max(r) ? runs : chance_runs_max(r));
    vec_release(&kinds.actions);
    return is_any;
}

static bool begin_with_echo(struct reducer *trial, const struct reducer *r, uint64_t seed)
{
    const struct past first = reducer_first(r);
    const struct plan plan = {.pick.seed = r->result->plan.pick.seed, .faults = r->faults};
    struct prng prng;
    prng_init(&prng, seed);
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

static bool begin(struct reducer *trial, const struct reducer *r, struct sources *s,
                  uint32_t number)
{
    const struct past first = reducer_first(r);
    const enum source source = next_source(s, echoes_are_worth(&first));
    const uint64_t seed = chance_seed(r, number);
    const bool is_any = source == SOURCE_ECHO ? begin_with_echo(trial, r, seed)
                                              : begin_by_chance(trial, r, source, seed);
    s->spent[source] += trial->result->steps + 1;
    s->found[source] += is_any;
    return is_any;
}

/* What makes it short soon, and what takes long and is worth it only near the best. */
static const uint32_t stages_quick = 1u << STAGE_SLICE | 1u << STAGE_SWITCHES |
                                     1u << STAGE_EXTERNALS | 1u << STAGE_CLUSTERS |
                                     1u << STAGE_REACTIONS | 1u << STAGE_CHUNKS |
                                     1u << STAGE_CONES | 1u << STAGE_STRANDS | 1u << STAGE_SINGLES;
static const uint32_t stages_near =
    1u << STAGE_SEEDS | 1u << STAGE_ROLES | 1u << STAGE_CONTENTS | 1u << STAGE_DRIFT;

/* One more, and what it was worth if it came to nothing better. */
static bool try_anew(struct reducer *r, struct sources *s, uint32_t number, uint32_t *worth)
{
    struct minimized found = {0};
    struct reducer other = {.result = &found};
    reducer_begin_trial(&other, r);
    const bool is_any = begin(&other, r, s, number);
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
    struct sources sources = {0};
    uint32_t fruitless = 0;
    uint64_t begun = r->result->replays;
    for (uint32_t i = 0; is_fit && fruitless < fruitless_max &&
                         r->result->replays - begun < chance_runs_max(r) && reducer_goes_on(r);
         i++) {
        uint32_t worth = 0;
        if (try_anew(r, &sources, i, &worth)) {
            fruitless = 0;
            begun = r->result->replays;
        } else {
            fruitless += worth;
        }
    }
    r->is_anew_done = true;
}
