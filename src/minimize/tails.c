/* What chance finds: a violation may have a shorter way there that none of the best's own steps is
 * on. All seeds come from that of the run that is minimized. */
#include "minimize/reduce.h"
#include "pick/name.h"

/* No order at all and few changes of priority find most of them; the others have their own. */
static const enum pick_strategy strategies[] = {PICK_RANDOM, PICK_PCT, PICK_RANDOM, PICK_PCT,
                                                PICK_POS};
enum { STRATEGY_COUNT = sizeof strategies / sizeof *strategies };

/* Where a run takes milliseconds, few can be had. */
enum { RUNS_MAX_SLOW = 2000, RUNS_MAX = 400000 };

static uint32_t runs_max(const struct reducer *r)
{
    return r->world->ops->checkpoint == NULL ? RUNS_MAX_SLOW : RUNS_MAX;
}

static uint64_t seed_of(const struct reducer *r, uint32_t number)
{
    return name_mix(r->result->plan.pick.seed, ((uint64_t)r->stage << 32) + number);
}

/* The beginning of the best, and then anything. */

enum { TAILS_PER_CUT = 40, TAILS_MAX = 4000 };

void tails_stage(struct reducer *r)
{
    const uint32_t size = reducer_size(r);
    const uint32_t cuts = TAILS_MAX / TAILS_PER_CUT;
    const uint32_t stride = size / cuts + 1;
    for (uint32_t cut = size; cut > 0 && reducer_goes_on(r);
         cut = cut > stride ? cut - stride : 0) {
        for (uint32_t i = 0; i < TAILS_PER_CUT; i++) {
            const struct tail tail = {.cut = cut - 1,
                                      .steps_max = size - 1,
                                      .strategy = i % 2 == 0 ? PICK_POS : PICK_RANDOM,
                                      .seed = i + 1};
            if (reducer_try_tail(r, &tail)) {
                return;
            }
        }
    }
}

/* Anything, if it is at most half as long: where a run goes on for thousands of steps until the
 * violation shows, another shows it soon. How soon is not known: as much is spent on runs of half
 * the length as on those of a quarter, an eighth ... Nor is known how much from outside it takes:
 * any number, a quarter of what the best has, an eighth ... What comes without need is only in the
 * way. */

enum {
    SHORTCUT_SIZE_MIN = 60,
    SHORTCUT_LEVELS = 6,
    SHORTCUT_SIZE_LEAST = 40, /* of a run, unless that is more than half */
    EXTERNALS_LEAST = 4,
    SHORTCUT_STEPS_FIRST = 24000000, /* spent in vain, at most; ... */
    SHORTCUT_STEPS_NEXT = 4000000,   /* ... after one was found */
};

/* The level on which the least was spent. */
static uint32_t least_of(const uint64_t *spent)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < SHORTCUT_LEVELS; i++) {
        least = spent[i] < spent[least] ? i : least;
    }
    return least;
}

static struct tail draw_shortcut(const struct reducer *r, uint32_t number, uint32_t level)
{
    const uint64_t drawn = seed_of(r, number);
    const uint32_t half = reducer_size(r) / 2;
    const uint32_t length = half >> level;
    const uint32_t least = half < SHORTCUT_SIZE_LEAST ? half : SHORTCUT_SIZE_LEAST;
    const uint32_t quarters = (uint32_t)(drawn / STRATEGY_COUNT % 4);
    const uint32_t externals = r->result->final_externals >> (1 + quarters);
    return (struct tail){.steps_max = length < least ? least : length,
                         .externals_max = quarters == 0                 ? 0
                                          : externals < EXTERNALS_LEAST ? r->result->final_externals
                                                                        : externals,
                         .has_rare_timers = drawn / STRATEGY_COUNT / 4 % 2 == 0,
                         .strategy = strategies[drawn % STRATEGY_COUNT],
                         .seed = drawn};
}

static bool find_shortcut(struct reducer *r, uint64_t steps_max)
{
    uint64_t spent_in_all = 0;
    uint64_t spent[SHORTCUT_LEVELS] = {0};
    for (uint32_t i = 0; i < runs_max(r) && spent_in_all < steps_max && reducer_goes_on(r); i++) {
        const uint32_t level = least_of(spent);
        const struct tail tail = draw_shortcut(r, i, level);
        if (reducer_try_tail(r, &tail)) {
            return true;
        }
        spent[level] += tail.steps_max;
        spent_in_all += tail.steps_max;
    }
    return false;
}

/* Later again: with fewer from outside there may be some that were not found before. */
void shortcuts_stage(struct reducer *r)
{
    uint64_t steps_max = r->is_shortened ? SHORTCUT_STEPS_NEXT : SHORTCUT_STEPS_FIRST;
    r->is_shortened = true;
    while (!reducer_is_bound(r) && !reducer_is_shorter(r, SHORTCUT_SIZE_MIN) &&
           find_shortcut(r, steps_max)) {
        steps_max = SHORTCUT_STEPS_NEXT;
    }
}

/* Other runs, each made as short as it gets: the least of them is where the best should be. Every
 * other one is made of the best's kinds of steps, with no more from outside. */

enum {
    ANEW_FRUITLESS_MAX = 12,
    ANEW_STEPS_MIN = 100, /* of a run that may do anything */
    ANEW_SIZE_MIN = 10,
    ANEW_STEPS_MAX = 3000000, /* until one is found */
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
    const uint64_t drawn = seed_of(r, number);
    struct tail tail = {.strategy = strategies[number / 2 % STRATEGY_COUNT],
                        .has_rare_timers = drawn % 2 == 0,
                        .seed = drawn};
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

/* One more; true when it came to something better. */
static bool try_anew(struct reducer *r, uint32_t number, bool *is_any)
{
    struct kinds kinds = {0};
    list_kinds(r, &kinds);
    const struct tail tail = draw_anew(r, number, &kinds);
    const uint32_t runs = ANEW_STEPS_MAX / tail.steps_max;
    struct minimized found = {0};
    struct reducer other = {.result = &found};
    reducer_begin_trial(&other, r);
    *is_any = reducer_find_another(&other, &tail, runs < runs_max(r) ? runs : runs_max(r));
    if (*is_any) {
        reducer_run_stages(&other, 1u << STAGE_ANEW | 1u << STAGE_DETOURS | 1u << STAGE_EXACT |
                                       1u << STAGE_PAIRS | 1u << STAGE_TAILS | 1u << STAGE_MATCHES |
                                       1u << STAGE_MOVES);
    }
    const bool is_better = reducer_end_trial(r, &other);
    minimized_release(&found);
    vec_release(&kinds.actions);
    return is_better;
}

/* Once: what later stages find is shorter than all of these. */
void anew_stage(struct reducer *r)
{
    uint32_t fruitless = 0;
    for (uint32_t i = 0;
         !r->is_anew_done && !reducer_is_bound(r) && !reducer_is_shorter(r, ANEW_SIZE_MIN) &&
         fruitless < ANEW_FRUITLESS_MAX && reducer_goes_on(r);
         i++) {
        bool is_any = false;
        fruitless = try_anew(r, i, &is_any) ? 0 : fruitless + (is_any ? 1 : 2);
    }
    r->is_anew_done = true;
}
