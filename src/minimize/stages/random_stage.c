/* Budgets and seeds of the random stages. */
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"

/* As many steps as CHANCES_FIRST replays of the best have, so that little is lost where the other
 * stages are quick: few at first, for executions that are found at once, and then four times as
 * many each time. */
enum { CHANCES_FIRST = 100, CHANCES_IN_TRIAL = 1000, CHANCES_GROWN_MAX = 3 };

uint64_t chance_steps_max(struct reducer *r)
{
    must(r->stage < STAGE_COUNT);
    const uint32_t times = r->chances[r->stage]++;
    const uint32_t grown = times < CHANCES_GROWN_MAX ? times : CHANCES_GROWN_MAX;
    const uint64_t replays =
        reducer_is_trial(r) ? CHANCES_IN_TRIAL : (uint64_t)CHANCES_FIRST << 2 * grown;
    return replays * reducer_size(r);
}

enum { RUNS_MAX_SLOW = 2000, RUNS_MAX = 400000 };

uint32_t chance_runs_max(const struct reducer *r)
{
    return r->world->ops->checkpoint == NULL ? RUNS_MAX_SLOW : RUNS_MAX;
}

uint64_t chance_seed(const struct reducer *r, uint32_t number)
{
    const uint64_t turn = (uint64_t)r->stage << 8 | (r->chances[r->stage] & 0xff);
    return name_join(r->result->plan.pick.seed, turn << 32 | number);
}

/* No order at all and few changes of priority find most of them; the others have their own. */
enum pick_strategy chance_strategy(uint64_t number)
{
    static const enum pick_strategy strategies[] = {PICK_RANDOM, PICK_PCT, PICK_RANDOM, PICK_PCT,
                                                    PICK_POS};
    return strategies[number % (sizeof strategies / sizeof *strategies)];
}
