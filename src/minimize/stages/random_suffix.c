/* Random runs: a violation may have a shorter execution that shares no steps with the best. All
 * seeds are derived from that of the first run. */
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"

/* The beginning of the best, and then anything. */

enum { TAILS_PER_CUT = 40, TAILS_MAX = 4000 };

void random_suffix_stage(struct reducer *r)
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

/* Random runs of at most half the length: where one run needs thousands of steps until the
 * violation shows, another shows it soon. The length is not known in advance, so as many steps are
 * spent on runs of half the length as on those of a quarter, an eighth ... Nor is the needed number
 * of external events: any number, a quarter of the best's, an eighth ... External events that the
 * violation does not need are only in the way. */

enum {
    SHORTCUT_SIZE_MIN = 60,
    SHORTCUT_LEVELS = 6,
    SHORTCUT_SIZE_LEAST = 40, /* of a run, unless that is more than half */
    EXTERNALS_LEAST = 4,
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
    const uint64_t drawn = chance_seed(r, number);
    must(level < SHORTCUT_LEVELS);
    const uint32_t half = reducer_size(r) / 2;
    const uint32_t length = half >> level;
    const uint32_t least = half < SHORTCUT_SIZE_LEAST ? half : SHORTCUT_SIZE_LEAST;
    const uint32_t quarters = (uint32_t)(drawn / 8 % 4);
    const uint32_t externals = r->result->final_externals >> (1 + quarters);
    return (struct tail){.steps_max = length < least ? least : length,
                         .externals_max = quarters == 0                 ? 0
                                          : externals < EXTERNALS_LEAST ? r->result->final_externals
                                                                        : externals,
                         .has_rare_timers = drawn / 32 % 2 == 0,
                         .strategy = chance_strategy(drawn),
                         .seed = drawn};
}

static bool find_shortcut(struct reducer *r, uint64_t steps_max)
{
    uint64_t spent_in_all = 0;
    uint64_t spent[SHORTCUT_LEVELS] = {0};
    for (uint32_t i = 0; i < chance_runs_max(r) && spent_in_all < steps_max && reducer_goes_on(r);
         i++) {
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

/* Run again later: with fewer external events some executions become reachable. */
void shortcuts_stage(struct reducer *r)
{
    const uint64_t steps_max = chance_steps_max(r);
    while (!reducer_is_bound(r) && !reducer_is_shorter(r, SHORTCUT_SIZE_MIN) &&
           find_shortcut(r, steps_max)) {
    }
}
