#include "minimize/reduce.h"

#include <stdio.h>
#include <string.h>

#include "pick/name.h"
#include "world/recipe.h"

uint32_t minimize_externals(const struct execution *x)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += step->operation.is_external;
    }
    return count;
}

uint32_t minimize_switches(const struct execution *x)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += step->choice != 0;
    }
    return count;
}

bool reducer_may_go(const struct reducer *r, uint32_t index)
{
    return !r->result->best.steps.at[index].operation.is_unignorable;
}

struct pick_want reducer_want(const struct reducer *r, uint32_t index, enum pick_match match)
{
    return reducer_want_of(&r->result->best.steps.at[index].operation, match);
}

struct pick_want reducer_want_of(const struct pick_operation *o, enum pick_match match)
{
    return (struct pick_want){.action = o->action,
                              .content = o->content,
                              .fault = o->fault,
                              .match = (uint8_t)match,
                              .is_unignorable = o->is_unignorable};
}

static void count_runs(struct reducer *r, const struct glimpse *g)
{
    r->result->replays += g->replays;
    r->result->steps += g->steps;
    r->result->steps_reused += g->steps_reused;
    r->result->stages[r->stage].replays += g->replays;
}

/* Of so many replays of one plan so many have to show the violation. */
static uint32_t repeat_runs(const struct reducer *r)
{
    return r->options->repeat_runs == 0 ? 1 : r->options->repeat_runs;
}

static uint32_t repeat_wanted(const struct reducer *r)
{
    return r->options->repeat_wanted == 0 ? 1 : r->options->repeat_wanted;
}

/* How many may be in vain. */
static uint32_t repeat_misses(const struct reducer *r)
{
    return repeat_runs(r) - repeat_wanted(r);
}

static int run(struct reducer *r, const struct plan *p, struct execution *x)
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

/* On which node it went wrong. */
static uint16_t node_of(const struct execution *x)
{
    return x->steps.count == 0 ? 0 : x->steps.at[x->steps.count - 1].operation.node;
}

/* Whether each node changed only as it did in the first run. */
static bool is_known(const struct reducer *r, const struct execution *x)
{
    vec_each (&x->steps, step) {
        if (step->transition != 0 && map_get(&r->transitions, step->transition) == NULL) {
            return false;
        }
    }
    return true;
}

static uint32_t count_unignorable(const struct execution *x, uint64_t action)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += step->operation.is_unignorable && step->operation.action == action;
    }
    return count;
}

/* Whether all that may not be ignored has come as often as in the first run. */
static bool has_unignorable(const struct reducer *r, const struct execution *x)
{
    while (r->of != NULL) {
        r = r->of;
    }
    vec_each (&r->unignorable.entries, first) {
        if (count_unignorable(x, first->key) < first->value) {
            return false;
        }
    }
    return true;
}

bool reducer_is_same(const struct reducer *r, const struct execution *x)
{
    const enum same same = r->options->same;
    return x->outcome == r->outcome && (same == SAME_KIND || strcmp(x->key, r->key) == 0) &&
           (same != SAME_EXACT || node_of(x) == r->node) &&
           (!r->options->no_diverge || is_known(r, x)) && has_unignorable(r, x);
}

int minimize_compare(const struct world *w, const struct execution *a, const struct execution *b)
{
    if (w->has_tasks && minimize_switches(a) != minimize_switches(b)) {
        return minimize_switches(a) < minimize_switches(b) ? -1 : 1;
    }
    if (a->steps.count != b->steps.count) {
        return a->steps.count < b->steps.count ? -1 : 1;
    }
    const uint32_t externals_a = minimize_externals(a);
    const uint32_t externals_b = minimize_externals(b);
    return externals_a < externals_b ? -1 : externals_a > externals_b;
}

static bool is_better(const struct reducer *r, const struct execution *x)
{
    const int order = minimize_compare(r->world, x, &r->result->best);
    return order < 0 || (order == 0 && r->accepts_equal);
}

/* What a candidate is run for. */
enum wish { WISH_SAME, WISH_BETTER };

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

/* Runs the plan as r->tried, unless it is known to be fruitless; true when it comes to what is
 * wished for. Where replays differ it has as many runs as can be in vain, and one more. */
static bool attempt(struct reducer *r, const struct plan *p, enum wish wish)
{
    const uint64_t key = foresight_is_on(r->foresight) ? key_of(p) : 0;
    struct glimpse known = {0};
    if (foresight_knows(r->foresight, key, &known)) {
        count_runs(r, &known);
        return false;
    }
    struct glimpse seen = {.key = key, .is_fruitless = true};
    do {
        if (run(r, p, &r->tried) < 0) {
            return false;
        }
        seen.replays++;
        seen.steps += r->tried.steps.count;
        seen.steps_reused += r->tried.steps_reused;
        seen.is_fruitless =
            !reducer_is_same(r, &r->tried) || (wish == WISH_BETTER && !is_better(r, &r->tried));
    } while (seen.is_fruitless && seen.replays <= repeat_misses(r) && reducer_goes_on(r));
    foresight_note(r->foresight, &seen);
    return !seen.is_fruitless;
}

/* The plan that makes the execution again, step by step. */
static struct plan plan_of(struct reducer *r, const struct execution *x)
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
    p.pick.steps_first = UINT32_MAX;
    p.wants_pending = r->keeps_pending;
    p.steps_max = x->steps.count == 0 ? 1 : (uint32_t)x->steps.count;
    return p;
}

/* What the requests of x brought, which was the world's last run. */
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

/* Whether the schedule made of it shows it often enough; r->again is the last run that did, of
 * whose steps more is known than of a run of wants. */
static bool is_repeatable(struct reducer *r, const struct execution *x)
{
    const struct plan p = plan_of(r, x);
    const bool may_differ = repeat_runs(r) > 1;
    uint32_t shown = 0;
    uint32_t missed = 0;
    do {
        if (run(r, &p, &r->again) < 0) {
            return false;
        }
        const bool is_equal = r->again.hash == x->hash;
        const bool is_shown = reducer_is_same(r, &r->again) && (may_differ || is_equal);
        r->result->is_flaky = r->result->is_flaky || !is_equal;
        shown += is_shown;
        missed += !is_shown;
    } while (shown < repeat_wanted(r) && missed <= repeat_misses(r) && reducer_goes_on(r));
    r->again_bytes = count_bytes(r, &r->again);
    return shown >= repeat_wanted(r);
}

static bool is_pair(const struct pick_operation *first, const struct pick_operation *second)
{
    const uint8_t fault = pick_fault(first);
    const uint8_t then = pick_fault(second);
    const bool is_undone = (fault == FAULT_CRASH && then == FAULT_RESTART) ||
                           (fault == FAULT_PARTITION && then == FAULT_HEAL);
    return is_undone && first->node == second->node;
}

/* A crash and the restart that ends it, a partition and its healing, stay or go together. */
static void find_atoms(struct reducer *r)
{
    const struct execution *best = &r->result->best;
    vec_clear(&r->partner_of);
    for (uint32_t i = 0; i < best->steps.count; i++) {
        vec_push(&r->partner_of, i);
    }
    for (uint32_t i = 0; i < best->steps.count; i++) {
        const struct pick_operation *o = &best->steps.at[i].operation;
        for (uint32_t k = i + 1; pick_fault(o) != 0 && k < best->steps.count; k++) {
            if (is_pair(o, &best->steps.at[k].operation)) {
                r->partner_of.at[i] = k;
                r->partner_of.at[k] = i;
                break;
            }
        }
    }
}

/* Faults that the best does not need are not even offered. */
static void count_faults(struct reducer *r)
{
    struct fault_budget needed = {0};
    vec_each (&r->result->best.steps, step) {
        if (step->operation.fault != 0) {
            needed.most[step->operation.fault]++;
        }
    }
    r->result->plan.faults = needed;
}

/* There is a new best. */
static void tell_better(struct reducer *r)
{
    struct minimized *m = r->result;
    m->final_externals = minimize_externals(&m->best);
    m->final_switches = r->world->has_tasks ? minimize_switches(&m->best) : 0;
    r->best_count++;
    m->plan.without = m->best.without.at;
    m->plan.without_count = m->best.without.count;
    count_faults(r);
    find_atoms(r);
    if (r->options->better != NULL && !r->is_trial && !foresight_is_worker(r->foresight) &&
        r->options->better(r->options->context, &m->plan, &m->best, r->e) < 0) {
        r->is_broken = true;
    }
}

/* The best in the account of the stage whose turn it is: out before there is another, in then. */
static void book(struct reducer *r, int sign)
{
    const struct minimized *m = r->result;
    struct stage_account *account = &r->result->stages[r->stage];
    account->steps += sign * (int64_t)m->best.steps.count;
    account->externals += sign * (int64_t)m->final_externals;
    account->switches += sign * (int64_t)m->final_switches;
    account->bytes += sign * (int64_t)m->final_bytes;
}

static void take_over(struct reducer *r, struct execution *x, uint64_t bytes)
{
    struct minimized *m = r->result;
    book(r, -1);
    const struct execution before = m->best;
    m->best = *x;
    *x = before;
    m->final_bytes = bytes;
    m->proof = PROOF_NONE; /* what is known of the one before is not of this one */
    tell_better(r);
    book(r, 1);
}

/* Takes what was tried over, which shows the violation, if it is better. */
static bool offer(struct reducer *r)
{
    if (!is_better(r, &r->tried) || !is_repeatable(r, &r->tried)) {
        return false;
    }
    take_over(r, &r->again, r->again_bytes);
    return true;
}

/* Runs what was given until it shows a violation, as often as that may be in vain. */
static int run_first(struct reducer *r, const struct plan *p)
{
    struct execution *best = &r->result->best;
    uint32_t missed = 0;
    while (run(r, p, best) == 0 && !outcome_is_violation(best->outcome)) {
        missed++;
        if (missed > repeat_misses(r) || !reducer_goes_on(r)) {
            recipe_explain(best);
            return repeat_runs(r) == 1
                       ? err_set(r->e, "shows no violation (%s: %s)", outcome_name(best->outcome),
                                 best->what)
                       : err_set(r->e, "shows no violation in %u replays (the last: %s: %s)",
                                 missed, outcome_name(best->outcome), best->what);
        }
    }
    return r->is_broken ? -1 : 0;
}

/* What was given shows the violation, and not often enough. */
static int refuse_first(struct reducer *r)
{
    if (r->is_broken) {
        return -1;
    }
    if (r->is_over) {
        return err_set(r->e, "was stopped before its violation showed %u times", repeat_wanted(r));
    }
    return repeat_runs(r) == 1
               ? err_set(r->e, "does not show the same violation every time: --repeat K/N is for "
                               "what shows in K of N replays")
               : err_set(r->e,
                         "shows the same violation in less than %u of %u replays: what is rarer "
                         "takes a larger N",
                         repeat_wanted(r), repeat_runs(r));
}

static void keep_first(struct reducer *r)
{
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        vec_push(&r->first, r->result->best.steps.at[i]);
        vec_push(&r->first_partner_of, r->partner_of.at[i]);
    }
}

int reducer_begin(struct reducer *r, const struct plan *p)
{
    struct minimized *m = r->result;
    m->is_flaky = repeat_runs(r) > 1;
    r->faults = p->faults;
    struct plan first = *p;
    if (r->options->no_diverge && run(r, &first, &m->best) < 0) {
        return -1; /* what changes is told by variables where any are known: after a run they are */
    }
    first.wants_transitions = r->options->no_diverge;
    if (run_first(r, &first) < 0) {
        return -1;
    }
    vec_each (&m->best.steps, step) {
        map_put(&r->transitions, step->transition, 1);
        if (step->operation.is_unignorable) {
            ++*map_slot(&r->unignorable, step->operation.action, 0, NULL);
        }
    }
    m->plan = (struct plan){.pick.seed = p->pick.seed, .wants_transitions = r->options->no_diverge};
    for (size_t i = 0; i < p->content_count; i++) {
        contents_put(&m->contents, &p->contents[i]);
    }
    m->plan.contents = m->contents.list.at;
    m->plan.content_count = m->contents.list.count;
    m->initial_hash = m->best.hash;
    m->initial_steps = (uint32_t)m->best.steps.count;
    m->initial_externals = minimize_externals(&m->best);
    m->initial_switches = r->world->has_tasks ? minimize_switches(&m->best) : 0;
    r->outcome = m->best.outcome;
    r->node = node_of(&m->best);
    (void)snprintf(r->key, sizeof r->key, "%s", m->best.key);
    memcpy(m->initial_what, m->best.what, sizeof m->initial_what);
    count_faults(r);
    if (!is_repeatable(r, &m->best)) {
        return refuse_first(r);
    }
    m->initial_bytes = m->final_bytes = r->again_bytes;
    m->given_replays = m->replays;
    tell_better(r);
    keep_first(r);
    return r->is_broken ? -1 : 0;
}

struct past reducer_past(const struct reducer *r)
{
    return (struct past){r->result->best.steps.at, r->partner_of.at, reducer_size(r)};
}

struct past reducer_first(const struct reducer *r)
{
    while (r->of != NULL) {
        r = r->of;
    }
    return (struct past){r->first.at, r->first_partner_of.at, (uint32_t)r->first.count};
}

void reducer_release(struct reducer *r)
{
    execution_release(&r->tried);
    execution_release(&r->again);
    vec_release(&r->candidate.wants);
    vec_release(&r->turns);
    vec_release(&r->partner_of);
    vec_release(&r->is_out);
    vec_release(&r->first);
    vec_release(&r->first_partner_of);
    map_release(&r->transitions);
    map_release(&r->brought);
    map_release(&r->unignorable);
}

bool *reducer_marks_of(struct reducer *r, uint32_t count)
{
    vec_clear(&r->is_out);
    for (uint32_t i = 0; i < count; i++) {
        vec_push(&r->is_out, false);
    }
    return r->is_out.at;
}

bool *reducer_marks(struct reducer *r)
{
    return reducer_marks_of(r, reducer_size(r));
}

static bool run_candidate(struct reducer *r, const struct candidate *c, enum wish wish)
{
    static const struct pick_want nothing;
    struct plan p = r->result->plan;
    p.pick.wants = c->wants.count == 0 ? &nothing : c->wants.at;
    p.pick.want_count = c->wants.count;
    p.wants_kept = c->wants_kept;
    return reducer_goes_on(r) && attempt(r, &p, wish);
}

const struct execution *reducer_look(struct reducer *r)
{
    struct plan p = plan_of(r, &r->result->best);
    p.wants_pending = true;
    return reducer_goes_on(r) && run(r, &p, &r->again) == 0 ? &r->again : NULL;
}

/* One that shows in four of five replays is found out nine times of ten. */
enum { STEADY_RUNS = 10 };

bool reducer_is_steady(struct reducer *r)
{
    struct minimized *m = r->result;
    const struct plan p = plan_of(r, &m->best);
    for (uint32_t i = 0; i < STEADY_RUNS && !m->is_flaky && !r->is_broken; i++) {
        m->is_flaky = run(r, &p, &r->again) == 0 && r->again.hash != m->best.hash;
    }
    return !m->is_flaky;
}

bool reducer_try(struct reducer *r, const struct candidate *c)
{
    return run_candidate(r, c, WISH_BETTER) && offer(r);
}

/* With fewer switches there may be more steps. */
enum { TURNS_STEPS_MORE = 1000, TURNS_STEPS_TIMES = 4 };

static struct plan plan_of_turns(const struct reducer *r, const struct pick_turn *turns,
                                 uint32_t count)
{
    struct plan p = r->result->plan;
    p.pick.turns = turns;
    p.pick.turn_count = count;
    p.pick.is_lenient = true;
    p.steps_max = TURNS_STEPS_TIMES * reducer_size(r) + TURNS_STEPS_MORE;
    return p;
}

bool reducer_try_turns(struct reducer *r, const struct pick_turn *turns, uint32_t count)
{
    const struct plan p = plan_of_turns(r, turns, count);
    return reducer_goes_on(r) && attempt(r, &p, WISH_BETTER) && offer(r);
}

bool reducer_look_turns(struct reducer *r, const struct pick_turn *turns, uint32_t count,
                        struct execution *x)
{
    struct plan p = plan_of_turns(r, turns, count);
    p.wants_pending = true;
    return reducer_goes_on(r) && run(r, &p, x) == 0;
}

/* The seed is the strategy's and the nodes' at once, so that what is found is known by it. */
bool reducer_try_tail(struct reducer *r, const struct tail *tail)
{
    struct plan *common = &r->result->plan;
    const uint64_t seed_before = common->pick.seed;
    struct plan p = plan_of(r, &r->result->best);
    p.pick.turn_count = tail->cut;
    p.pick.steps_first = 0;
    p.pick.strategy = tail->strategy;
    p.pick.seed = common->pick.seed = tail->seed;
    p.pick.actions = tail->actions;
    p.pick.action_count = tail->action_count;
    p.pick.externals_max = tail->externals_max;
    p.pick.has_rare_timers = tail->has_rare_timers;
    p.pick.length = p.steps_max = tail->steps_max;
    const bool is_better =
        p.steps_max > 0 && reducer_goes_on(r) && attempt(r, &p, WISH_BETTER) && offer(r);
    if (!is_better) {
        common->pick.seed = seed_before;
    }
    return is_better;
}

void reducer_begin_trial(struct reducer *trial, struct reducer *r)
{
    struct minimized *m = trial->result;
    *trial = (struct reducer){.world = r->world,
                              .options = r->options,
                              .result = m,
                              .of = r,
                              .foresight = r->foresight,
                              .stage = r->stage,
                              .ways = r->ways,
                              .outcome = r->outcome,
                              .node = r->node,
                              .faults = r->faults,
                              .is_trial = true,
                              .e = r->e};
    memcpy(trial->key, r->key, sizeof trial->key);
    m->replays = r->result->replays;
}

bool reducer_end_trial(struct reducer *r, struct reducer *trial)
{
    struct minimized *m = r->result;
    struct minimized *found = trial->result;
    m->stages[r->stage].replays += found->replays - m->replays;
    m->replays = found->replays;
    m->steps += found->steps;
    m->steps_reused += found->steps_reused;
    r->is_broken = r->is_broken || trial->is_broken;
    m->is_flaky = m->is_flaky || found->is_flaky;
    const bool is_taken = !r->is_broken && trial->best_count > 0 && is_better(r, &found->best);
    if (is_taken) {
        const struct contents before = m->contents;
        m->contents = found->contents;
        found->contents = before;
        m->plan = found->plan;
        take_over(r, &found->best, found->final_bytes);
        m->proof = found->proof;
    }
    reducer_release(trial);
    return is_taken;
}

/* What was tried, and shows the violation, is the best of the trial if it does so every time. */
static bool begin_with_tried(struct reducer *trial)
{
    if (!is_repeatable(trial, &trial->tried)) {
        return false;
    }
    take_over(trial, &trial->again, trial->again_bytes);
    return true;
}

bool reducer_find_another(struct reducer *trial, const struct tail *tail, uint32_t runs_max)
{
    struct minimized *m = trial->result;
    for (uint32_t i = 0; i < runs_max && reducer_goes_on(trial); i++) {
        const struct plan p = {.pick = {.strategy = tail->strategy,
                                        .seed = tail->seed + i,
                                        .actions = tail->actions,
                                        .action_count = tail->action_count,
                                        .externals_max = tail->externals_max,
                                        .has_rare_timers = tail->has_rare_timers,
                                        .length = tail->steps_max},
                               .faults = trial->faults,
                               .steps_max = tail->steps_max};
        m->plan = (struct plan){.pick.seed = p.pick.seed, .faults = p.faults};
        if (attempt(trial, &p, WISH_SAME) && begin_with_tried(trial)) {
            return true;
        }
    }
    return false;
}

bool reducer_take_another(struct reducer *trial, const struct plan *p, const struct candidate *c)
{
    struct minimized *m = trial->result;
    m->plan = *p;
    m->plan.contents = NULL;
    for (size_t i = 0; i < p->content_count; i++) {
        contents_put(&m->contents, &p->contents[i]);
    }
    m->plan.contents = m->contents.list.at;
    return run_candidate(trial, c, WISH_SAME) && begin_with_tried(trial);
}

bool reducer_drift(struct reducer *trial, const struct candidate *c, uint32_t steps_max)
{
    return run_candidate(trial, c, WISH_SAME) && trial->tried.steps.count <= steps_max &&
           trial->tried.hash != trial->result->best.hash && begin_with_tried(trial);
}

bool reducer_shows(struct reducer *r, const struct candidate *c)
{
    if (!run_candidate(r, c, WISH_SAME)) {
        return false;
    }
    (void)offer(r);
    return true;
}

/* Wants the best without the steps that are marked, and without the rest of their atoms. */
static void leave_out(const struct reducer *r, const bool *is_out, struct candidate *c)
{
    vec_clear(&c->wants);
    c->wants_kept = UINT32_MAX;
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        if (!reducer_may_go(r, i) || (!is_out[i] && !is_out[r->partner_of.at[i]])) {
            vec_push(&c->wants, reducer_want(r, i, PICK_SAME));
        } else if (c->wants_kept == UINT32_MAX) {
            c->wants_kept = i;
        }
    }
}

bool reducer_try_without(struct reducer *r, const bool *is_out)
{
    struct candidate *c = &r->candidate;
    bool is_better = false;
    leave_out(r, is_out, c);
    for (uint32_t way = 0; way < r->ways.count && !is_better && reducer_goes_on(r); way++) {
        vec_each (&c->wants, want) {
            want->match = (uint8_t)r->ways.at[way];
        }
        is_better = reducer_try(r, c);
    }
    c->wants_kept = 0;
    return is_better;
}
