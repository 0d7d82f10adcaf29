/* In a world of tasks whoever runs goes on by default, and an execution is as hard to read as it
 * has switches: steps at which another goes first. They are left out, many at once and then few;
 * then every execution with none, with one, with two ... is tried, as far as that can be done. */
#include "minimize/stages/stages.h"

enum { RUNS_MAX = 20000, SWITCHES_MAX = 3 };

struct switching {
    struct reducer *reducer;
    VEC(struct pick_turn) turns;               /* the switches of a candidate */
    struct execution levels[SWITCHES_MAX + 1]; /* with the first of them, none, one, ... */
    uint64_t runs_end;
    bool is_cut; /* something was not tried */
};

static uint32_t switches_of_best(const struct reducer *r)
{
    return minimize_switches(&r->result->best);
}

/* The best's switches but for `count` of them from the `first` on. */
static void list_without(struct switching *s, uint32_t first, uint32_t count)
{
    const struct execution *best = &s->reducer->result->best;
    uint32_t number = 0;
    vec_clear(&s->turns);
    for (uint32_t i = 0; i < best->steps.count; i++) {
        const struct step *step = &best->steps.at[i];
        if (step->choice == 0) {
            continue;
        }
        if (number < first || number >= first + count) {
            vec_push(&s->turns, (struct pick_turn){.name = step->operation.name, .step = i});
        }
        number++;
    }
    must(number == switches_of_best(s->reducer));
}

static bool try_turns(struct switching *s)
{
    return reducer_try_turns(s->reducer, s->turns.at, (uint32_t)s->turns.count);
}

static void leave_out(struct switching *s, uint32_t size)
{
    uint32_t first = switches_of_best(s->reducer);
    while (first > 0 && reducer_goes_on(s->reducer)) {
        first = first > size ? first - size : 0;
        list_without(s, first, size);
        if (try_turns(s) && first > switches_of_best(s->reducer)) {
            first = switches_of_best(s->reducer);
        }
    }
}

static bool goes_on(struct switching *s)
{
    if (s->reducer->result->replays >= s->runs_end) {
        s->is_cut = true;
    }
    return !s->is_cut && reducer_goes_on(s->reducer);
}

/* Every execution with `more` switches beside the listed ones, all of them later; true when one is
 * better. */
static bool try_all(struct switching *s, uint32_t more)
{
    const uint32_t given = (uint32_t)s->turns.count;
    if (more == 0) {
        return try_turns(s);
    }
    must(given <= SWITCHES_MAX);
    struct execution *x = &s->levels[given];
    if (!reducer_look_turns(s->reducer, s->turns.at, given, x)) {
        return false;
    }
    for (uint32_t i = given == 0 ? 0 : vec_last(&s->turns)->step + 1; i < x->steps.count; i++) {
        const struct step *step = &x->steps.at[i];
        for (uint32_t k = 1; k < step->pending_count && goes_on(s); k++) {
            const uint64_t name = x->pending.at[step->pending_first + k].name;
            vec_push(&s->turns, (struct pick_turn){.name = name, .step = i});
            if (try_all(s, more - 1)) {
                return true;
            }
            s->turns.count = given;
        }
    }
    return false;
}

/* Once: no stage leads to fewer than there can be. */
static void find_fewest(struct switching *s)
{
    struct reducer *r = s->reducer;
    uint32_t count = 0;
    for (; count < switches_of_best(r) && count <= SWITCHES_MAX && goes_on(s); count++) {
        vec_clear(&s->turns);
        if (try_all(s, count)) {
            break;
        }
    }
    r->result->has_fewest_switches = goes_on(s) && count >= switches_of_best(r);
}

void context_switches_stage(struct reducer *r)
{
    struct switching s = {.reducer = r, .runs_end = r->result->replays + RUNS_MAX};
    if (!r->world->has_tasks) {
        reducer_note(r, "skipped: only for programs");
    }
    if (!r->world->has_tasks || r->result->has_fewest_switches) {
        return;
    }
    for (uint32_t size = switches_of_best(r); size > 0 && reducer_goes_on(r); size /= 2) {
        leave_out(&s, size);
    }
    if (!reducer_is_trial(r)) {
        find_fewest(&s);
    }
    for (size_t i = 0; i < sizeof s.levels / sizeof *s.levels; i++) {
        execution_release(&s.levels[i]);
    }
    vec_release(&s.turns);
}
