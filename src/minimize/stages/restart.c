/* Other runs, each made as short as it gets: the least of them is where the best should be. */
#include "minimize/engine/trial.h"
#include "minimize/stages/stages.h"

enum {
    FRUITLESS_MAX = 40,   /* in a row; those that take long count as several: */
    FRUITLESS_NONE = 10,  /* where no run showed the violation */
    FRUITLESS_NEAR = 4,   /* near the best */
    EQUAL_MAX = 5,        /* that reached as many steps as the best has, and not fewer */
    ANEW_NEAR = 3,        /* to the best: worth more than a quick look */
    ANEW_STEPS_MIN = 100, /* of a run that may do anything */
    ANEW_SIZE_MIN = 10,
    ANEW_STEPS_MAX = 2000000, /* until one is found */
};

struct kinds {
    VEC(uint64_t) actions;
};

/* The actions of the best, in ascending order. */
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
    SOURCE_WALK,  /* an earlier best, from which a walk with another seed leads elsewhere */
    SOURCE_ECHO,  /* of the run that is minimized */
    SOURCE_KINDS, /* random, of the best's kinds of steps, with no more external events */
    SOURCE_ANY,   /* random */
    SOURCE_COUNT
};

/* The restarts so far. */
struct anew {
    struct reducer *reducer;
    uint64_t spent[SOURCE_COUNT]; /* in steps, until there was one to begin with */
    uint32_t found[SOURCE_COUNT];
    uint64_t walk_replays, other_replays; /* in all */
    uint32_t fruitless, equal;            /* since there was a better one */
    uint64_t begun;                       /* the number of replays when the count began */
};

/* As much is spent on walks as on the others. Of these it is the one that costs least for each that
 * it had. */
static enum source next_source(const struct anew *a)
{
    const struct reducer *r = a->reducer;
    const struct past first = reducer_first(r);
    if (r->walk.candidate.wants.count > 0 && a->walk_replays <= a->other_replays) {
        return SOURCE_WALK;
    }
    enum source next = SOURCE_KINDS;
    for (int i = splice_windows_are_worth(&first) ? SOURCE_ECHO : SOURCE_KINDS; i < SOURCE_COUNT;
         i++) {
        if (a->spent[i] / (a->found[i] + 1) < a->spent[next] / (a->found[next] + 1)) {
            next = (enum source)i;
        }
    }
    must(next < SOURCE_COUNT);
    return next;
}

/* Walks from one execution lead to different ones, and soon remove most steps: from 111 steps of
 * raft-58b some reach 26 and some 36, in two seconds each. */
static bool begin_with_walk(struct reducer *trial, const struct reducer *r, uint32_t number)
{
    const struct plan plan = {.pick.seed = r->walk.seed, .faults = r->faults};
    trial->walk.number = number + 1;
    return reducer_take_another(trial, &plan, &r->walk.candidate);
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
        splice_windows_draw(trial, &first, &prng);
        is_any = reducer_take_another(trial, &plan, &trial->candidate);
        spent += trial->candidate.wants.count;
    }
    return is_any;
}

static bool begin(struct anew *a, struct reducer *trial, enum source source, uint32_t number)
{
    const struct reducer *r = a->reducer;
    const uint64_t seed = chance_seed(r, number);
    bool is_any = false;
    switch (source) {
    case SOURCE_WALK: is_any = begin_with_walk(trial, r, number); break;
    case SOURCE_ECHO: is_any = begin_with_echo(trial, r, seed); break;
    case SOURCE_KINDS:
    case SOURCE_ANY: is_any = begin_by_chance(trial, r, source, seed); break;
    case SOURCE_COUNT: bug("no source");
    }
    a->spent[source] += trial->result->steps + 1;
    a->found[source] += is_any;
    return is_any;
}

/* The stages that shorten quickly, and the stages that take long and are worth it only near the
 * best. */
static const uint32_t stages_quick = 1u << STAGE_SLICE | 1u << STAGE_SWITCHES |
                                     1u << STAGE_EXTERNALS | 1u << STAGE_CLUSTERS |
                                     1u << STAGE_REACTIONS | 1u << STAGE_CHUNKS |
                                     1u << STAGE_CONES | 1u << STAGE_STRANDS | 1u << STAGE_SINGLES;
static const uint32_t stages_near =
    1u << STAGE_SEEDS | 1u << STAGE_ROLES | 1u << STAGE_CONTENTS | 1u << STAGE_DRIFT;

/* Minimizes the other execution. Returns how many fruitless tries it counts for, which depends on
 * how near the best it ends. */
static uint32_t shorten(const struct anew *a, struct reducer *other, enum source source)
{
    const uint32_t walk = source == SOURCE_WALK ? 1u << STAGE_DRIFT : 0;
    stages_run(other, ~(stages_quick | walk));
    if (reducer_size(other) > reducer_size(a->reducer) + ANEW_NEAR) {
        return 1;
    }
    stages_run(other, ~(stages_quick | stages_near));
    return FRUITLESS_NEAR;
}

/* One more. */
static void try_anew(struct anew *a, uint32_t number)
{
    struct reducer *r = a->reducer;
    struct minimized found = {0};
    struct reducer other = {.result = &found};
    const uint64_t begun = r->result->replays;
    const enum source source = next_source(a);
    reducer_begin_trial(&other, r);
    const bool is_any = begin(a, &other, source, number);
    a->fruitless += is_any ? shorten(a, &other, source) : FRUITLESS_NONE;
    a->equal += is_any && reducer_size(&other) == reducer_size(r);
    const bool is_better = reducer_end_trial(r, &other);
    minimized_release(&found);
    *(source == SOURCE_WALK ? &a->walk_replays : &a->other_replays) += r->result->replays - begun;
    if (is_better) {
        a->fruitless = a->equal = 0;
        a->begun = r->result->replays;
    }
}

/* Whether other starts may reach fewer steps. Echoes are all different; without them there is soon
 * nothing new. Where many starts reached the best's size, from different executions, hardly any
 * reaches less. */
static bool is_worth_more(const struct anew *a)
{
    const struct reducer *r = a->reducer;
    const struct past first = reducer_first(r);
    const uint64_t replays_max = 2 * (uint64_t)chance_runs_max(r);
    return (splice_windows_are_worth(&first) || a->fruitless < FRUITLESS_MAX) &&
           a->equal < EQUAL_MAX && r->result->replays - a->begun < replays_max;
}

/* Runs once: the executions that later stages find are shorter than all of these. */
void restart_stage(struct reducer *r)
{
    struct anew a = {.reducer = r, .begun = r->result->replays};
    const bool is_fit =
        !r->is_restart_done && !reducer_is_bound(r) && !reducer_is_shorter(r, ANEW_SIZE_MIN);
    for (uint32_t i = 0; is_fit && is_worth_more(&a) && reducer_goes_on(r); i++) {
        try_anew(&a, i);
    }
    r->is_restart_done = true;
}
