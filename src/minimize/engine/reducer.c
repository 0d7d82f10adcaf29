#include "minimize/engine/reducer.h"

#include "minimize/engine/attempt.h"
#include "minimize/engine/best_run.h"

bool reducer_may_go(const struct reducer *r, uint32_t index)
{
    must(index < reducer_size(r));
    return !r->result->best.steps.at[index].operation.is_unignorable;
}

struct pick_want reducer_want(const struct reducer *r, uint32_t index, enum pick_match match)
{
    must(index < reducer_size(r));
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

struct past reducer_past(const struct reducer *r)
{
    must(r->partner_of.count == reducer_size(r));
    return (struct past){r->result->best.steps.at, r->partner_of.at, reducer_size(r)};
}

void reducer_release(struct reducer *r)
{
    execution_release(&r->tried);
    execution_release(&r->again);
    execution_release(&r->looked_at);
    vec_release(&r->candidate.wants);
    vec_release(&r->turns);
    vec_release(&r->partner_of);
    vec_release(&r->is_out);
    vec_release(&r->first.steps);
    vec_release(&r->first.partner_of);
    vec_release(&r->walk.candidate.wants);
    map_release(&r->first.transitions);
    map_release(&r->brought);
    map_release(&r->first.unignorable);
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

const struct execution *reducer_look(struct reducer *r)
{
    struct plan p = attempt_plan_of(r, &r->result->best);
    p.wants_pending = true;
    return reducer_goes_on(r) && attempt_once(r, &p, &r->again) == 0 ? &r->again : NULL;
}

const struct execution *reducer_look_at(struct reducer *r, const struct candidate *c)
{
    struct plan p = attempt_plan_of_wants(r, c);
    p.wants_pending = true;
    return reducer_goes_on(r) && attempt_once(r, &p, &r->looked_at) == 0 ? &r->looked_at : NULL;
}

/* One that shows in four of five replays is found out nine times of ten. */
enum { STEADY_RUNS = 10 };

/* After the user's interrupt or the time limit, these replays may take so long. Most systems take
 * less for all of them. */
static const uint64_t steady_late_ns = 1000000000;

/* Whether there is time for one more. The budgets of runs and memory do not count here: the result
 * is checked where they end the search, too. */
static bool has_time(struct reducer *r, uint64_t begin_ns)
{
    const bool is_late =
        *r->options->is_stopped != 0 || limit_time_left_ns(&r->options->budget) == 0;
    return !is_late || limit_now_ns() - begin_ns < steady_late_ns;
}

bool reducer_is_steady(struct reducer *r)
{
    struct minimized *m = r->result;
    const struct plan p = attempt_plan_of(r, &m->best);
    const uint64_t begin_ns = limit_now_ns();
    for (uint32_t i = 0; i < STEADY_RUNS && !m->is_flaky && !r->is_broken; i++) {
        if (!has_time(r, begin_ns)) {
            return reducer_goes_on(r); /* which it does not: the result says why */
        }
        m->is_flaky = attempt_once(r, &p, &r->again) == 0 && r->again.hash != m->best.hash;
    }
    must(m->is_flaky || r->is_broken || r->again.hash == m->best.hash);
    return !m->is_flaky;
}

bool reducer_try(struct reducer *r, const struct candidate *c)
{
    return attempt_wants(r, c, WISH_BETTER) && best_offer(r);
}

bool reducer_shows(struct reducer *r, const struct candidate *c)
{
    if (!attempt_wants(r, c, WISH_SAME)) {
        return false;
    }
    (void)best_offer(r);
    return true;
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
    return reducer_goes_on(r) && attempt(r, &p, WISH_BETTER) && best_offer(r);
}

bool reducer_look_turns(struct reducer *r, const struct pick_turn *turns, uint32_t count,
                        struct execution *x)
{
    struct plan p = plan_of_turns(r, turns, count);
    p.wants_pending = true;
    return reducer_goes_on(r) && attempt_once(r, &p, x) == 0;
}

/* One seed is the strategy's and the nodes', so that it alone identifies the run that is found. */
bool reducer_try_tail(struct reducer *r, const struct tail *tail)
{
    struct plan *common = &r->result->plan;
    const uint64_t seed_before = common->pick.seed;
    must(tail->cut <= reducer_size(r));
    struct plan p = attempt_plan_of(r, &r->result->best);
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
        p.steps_max > 0 && reducer_goes_on(r) && attempt(r, &p, WISH_BETTER) && best_offer(r);
    if (!is_better) {
        common->pick.seed = seed_before;
    }
    return is_better;
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
    must(c->wants.count <= reducer_size(r));
}

bool reducer_try_without(struct reducer *r, const bool *is_out)
{
    struct candidate *c = &r->candidate;
    bool is_better = false;
    must(r->ways.count > 0);
    must(r->ways.count <= WAYS_MAX);
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
