#include "minimize/engine/attempt.h"

#include "minimize/engine/best_run.h"
#include "pick/operation_name.h"

uint32_t repeat_runs(const struct reducer *r)
{
    return r->options->repeat_runs == 0 ? 1 : r->options->repeat_runs;
}

uint32_t repeat_wanted(const struct reducer *r)
{
    return r->options->repeat_wanted == 0 ? 1 : r->options->repeat_wanted;
}

uint32_t repeat_misses(const struct reducer *r)
{
    must(repeat_wanted(r) <= repeat_runs(r));
    return repeat_runs(r) - repeat_wanted(r);
}

static void count_runs(struct reducer *r, const struct glimpse *g)
{
    r->result->replays += g->replays;
    r->result->steps += g->steps;
    r->result->steps_reused += g->steps_reused;
    r->result->stages[r->stage].replays += g->replays;
}

int attempt_once(struct reducer *r, const struct plan *p, struct execution *x)
{
    struct plan plan = *p;
    plan.is_whole = repeat_runs(r) > 1;
    if (world_run(r->world, &plan, x, r->e) < 0) {
        r->is_broken = true;
        return -1;
    }
    count_runs(r, &(struct glimpse){
                      .replays = 1, .steps = x->steps.count, .steps_reused = x->steps_reused});
    return 0;
}

static uint64_t key_of(const struct plan *p)
{
    uint64_t key = name_mix(name_mix(p->pick.seed, p->pick.strategy), p->steps_max);
    key = name_mix(name_mix(key, p->pick.externals_max), p->pick.action_count);
    key = name_mix(key, p->pick.has_rare_timers);
    for (size_t i = 0; i < p->pick.turn_count; i++) {
        key = name_mix(key, p->pick.turns[i].name + p->pick.turns[i].step);
    }
    for (size_t i = 0; i < p->pick.want_count; i++) {
        /* Of thousands, for each candidate in each process: a multiplication each. */
        const struct pick_want *want = &p->pick.wants[i];
        key = (key ^ (want->action + 3 * want->content + want->match)) * 0x9e3779b97f4a7c15u;
        key ^= key >> 32;
    }
    for (size_t i = 0; i < p->without_count; i++) {
        key = name_mix(key, p->without[i]);
    }
    for (size_t i = 0; i < p->content_count; i++) {
        key = name_mix(key, name_text(p->contents[i].bytes, p->contents[i].size));
    }
    return key;
}

bool attempt(struct reducer *r, const struct plan *p, enum wish wish)
{
    const uint64_t key = speculation_is_on(r->speculation) ? key_of(p) : 0;
    struct glimpse known = {0};
    if (speculation_knows(r->speculation, key, &known)) {
        count_runs(r, &known);
        return false;
    }
    struct glimpse seen = {.key = key, .is_fruitless = true};
    do {
        if (attempt_once(r, p, &r->tried) < 0) {
            return false;
        }
        seen.replays++;
        seen.steps += r->tried.steps.count;
        seen.steps_reused += r->tried.steps_reused;
        seen.is_fruitless = !reducer_is_same(r, &r->tried) ||
                            (wish == WISH_BETTER && !best_is_beaten_by(r, &r->tried));
    } while (seen.is_fruitless && seen.replays <= repeat_misses(r) && reducer_goes_on(r));
    must(seen.replays <= repeat_misses(r) + 1);
    speculation_note(r->speculation, &seen);
    return !seen.is_fruitless;
}

struct plan attempt_plan_of_wants(const struct reducer *r, const struct candidate *c)
{
    static const struct pick_want nothing;
    struct plan p = r->result->plan;
    p.pick.wants = c->wants.count == 0 ? &nothing : c->wants.at;
    p.pick.want_count = c->wants.count;
    must(c->wants_kept == UINT32_MAX || c->wants_kept <= c->wants.count);
    p.wants_kept = c->wants_kept;
    return p;
}

bool attempt_wants(struct reducer *r, const struct candidate *c, enum wish wish)
{
    const struct plan p = attempt_plan_of_wants(r, c);
    return reducer_goes_on(r) && attempt(r, &p, wish);
}

struct plan attempt_plan_of(struct reducer *r, const struct execution *x)
{
    vec_clear(&r->turns);
    for (uint32_t i = 0; i < x->steps.count; i++) {
        vec_push(&r->turns, (struct pick_turn){.name = x->steps.at[i].operation.name, .step = i});
    }
    struct plan p = r->result->plan;
    p.without = x->without.at;
    p.without_count = x->without.count;
    p.pick.turns = r->turns.at;
    p.pick.turn_count = r->turns.count;
    must(p.pick.turn_count == x->steps.count);
    p.pick.steps_first = UINT32_MAX;
    p.wants_pending = r->keeps_pending;
    p.steps_max = x->steps.count == 0 ? 1 : (uint32_t)x->steps.count;
    return p;
}

/* How many bytes the requests of x carried; x was the world's last run. */
static uint64_t count_bytes(const struct reducer *r, const struct execution *x)
{
    uint64_t bytes = 0;
    vec_each (&x->steps, step) {
        if (r->world->ops->brought != NULL && step->operation.is_external &&
            step->operation.fault == 0) {
            bytes += r->world->ops->brought(r->world, step->operation.name);
        }
    }
    return bytes;
}

bool attempt_is_repeatable(struct reducer *r, const struct execution *x)
{
    const struct plan p = attempt_plan_of(r, x);
    const bool may_differ = repeat_runs(r) > 1;
    uint32_t shown = 0;
    uint32_t missed = 0;
    do {
        if (attempt_once(r, &p, &r->again) < 0) {
            return false;
        }
        const bool is_equal = r->again.hash == x->hash;
        const bool is_shown = reducer_is_same(r, &r->again) && (may_differ || is_equal);
        r->result->is_flaky = r->result->is_flaky || !is_equal;
        shown += is_shown;
        missed += !is_shown;
    } while (shown < repeat_wanted(r) && missed <= repeat_misses(r) && reducer_goes_on(r));
    must(shown + missed <= repeat_runs(r));
    must(shown < repeat_wanted(r) || reducer_is_same(r, &r->again));
    r->again_bytes = count_bytes(r, &r->again);
    return shown >= repeat_wanted(r);
}
