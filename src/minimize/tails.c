/* What chance finds: a violation may have a shorter way there that none of the best's own steps is
 * on. All seeds come from that of the run that is minimized. */
#include "minimize/reduce.h"
#include "pick/name.h"

/* No order at all finds most of them; the others have their own. */
static const enum pick_strategy strategies[] = {PICK_RANDOM, PICK_POS, PICK_RANDOM, PICK_PCT};
enum { STRATEGY_COUNT = sizeof strategies / sizeof *strategies };

/* Where a run takes milliseconds, few can be had. */
enum { RUNS_MAX_SLOW = 2000, RUNS_MAX = 40000, STEPS_MAX = 12000000 };

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
 * violation shows, another shows it soon. How soon is not known: half, a quarter ... are tried in
 * turn. */

enum { SHORTCUT_SIZE_MIN = 60, SHORTCUT_LEVELS = 4 };

static bool find_shortcut(struct reducer *r)
{
    const uint64_t steps = r->result->steps;
    const uint32_t size = reducer_size(r);
    for (uint32_t i = 0;
         i < runs_max(r) && reducer_goes_on(r) && r->result->steps - steps < STEPS_MAX; i++) {
        const uint32_t half = size >> (1 + i % SHORTCUT_LEVELS);
        const struct tail tail = {.steps_max = half < SHORTCUT_SIZE_MIN / 2 ? size / 2 : half,
                                  .strategy = strategies[i / SHORTCUT_LEVELS % STRATEGY_COUNT],
                                  .seed = seed_of(r, i)};
        if (reducer_try_tail(r, &tail)) {
            return true;
        }
    }
    return false;
}

void shortcuts_stage(struct reducer *r)
{
    while (!r->options->no_diverge && reducer_size(r) >= SHORTCUT_SIZE_MIN && find_shortcut(r)) {
    }
}

/* Other runs, each made as short as it gets: the least of them is where the best should be. */

enum { ANEW_FRUITLESS_MAX = 8, ANEW_STEPS_MIN = 100, ANEW_SIZE_MIN = 10 };

/* One more; true when it came to something better. */
static bool try_anew(struct reducer *r, uint32_t number, bool *is_any)
{
    const uint32_t size = reducer_size(r);
    const struct tail tail = {.steps_max = 4 * size > ANEW_STEPS_MIN ? 4 * size : ANEW_STEPS_MIN,
                              .strategy = strategies[number % STRATEGY_COUNT],
                              .seed = seed_of(r, number)};
    struct minimized found = {0};
    struct reducer other = {.result = &found};
    reducer_begin_trial(&other, r);
    *is_any = reducer_find_another(&other, &tail, runs_max(r));
    if (*is_any) {
        reducer_run_stages(&other, 1u << STAGE_ANEW | 1u << STAGE_DETOURS | 1u << STAGE_EXACT);
    }
    const bool is_better = reducer_end_trial(r, &other);
    minimized_release(&found);
    return is_better;
}

/* Once: what later stages find is shorter than all of these. */
void anew_stage(struct reducer *r)
{
    uint32_t fruitless = 0;
    for (uint32_t i = 0;
         !r->is_anew_done && !r->options->no_diverge && reducer_size(r) >= ANEW_SIZE_MIN &&
         fruitless < ANEW_FRUITLESS_MAX && reducer_goes_on(r);
         i++) {
        bool is_any = false;
        fruitless = try_anew(r, i, &is_any) ? 0 : fruitless + (is_any ? 1 : 4);
    }
    r->is_anew_done = true;
}
