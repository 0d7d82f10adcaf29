#include "explore/search.h"

struct plan search_plan(const struct search_options *o)
{
    struct plan p = {
        .pick = {.seed = o->seed,
                 .depth = o->pct_depth,
                 .weights = o->weights,
                 .is_fair = o->has_tasks},
        .faults = o->faults,
        .steps_max = o->depth,
        .is_counting = true,
        .is_learning = true,
    };
    if (o->from != NULL) {
        p.pick.turns = o->from->pick.turns;
        p.pick.turn_count = o->from->pick.turn_count;
        p.pick.steps_first = o->from->steps_max;
        p.pick.is_lenient = o->from->pick.is_lenient;
        p.contents = o->from->contents;
        p.content_count = o->from->content_count;
        p.without = o->from->without;
        p.without_count = o->from->without_count;
        p.steps_max = o->depth == 0 ? 0 : o->depth + o->from->steps_max;
    }
    return p;
}

/* Of strategies that do not ask, some runs are looked at, and fewer when many were made. */
enum { RUNS_PER_LOOK = 16, RUNS_OF_MANY = 1024 };

bool search_is_learning(const struct search_options *o, enum pick_strategy strategy,
                        uint64_t run_index)
{
    const bool is_asking =
        strategy == PICK_UNIQUE || strategy == PICK_FREQUENCY || strategy == PICK_NODEFREQ;
    const uint64_t runs_per_look = run_index < RUNS_OF_MANY ? RUNS_PER_LOOK : 8 * RUNS_PER_LOOK;
    return is_asking || o->has_tasks || run_index % runs_per_look == 0;
}

void search_seed(const struct search_options *o, struct plan *p)
{
    if (o->seeded == NULL) {
        return;
    }
    p->pick.turns = o->seeded->pick.turns;
    p->pick.turn_count = o->seeded->pick.turn_count;
    p->pick.is_lenient = o->seeded->pick.is_lenient;
    p->pick.constraints = o->seeded->pick.constraints;
    p->pick.constraint_count = o->seeded->pick.constraint_count;
    p->faults = o->seeded->faults;
    p->contents = o->seeded->contents;
    p->content_count = o->seeded->content_count;
    p->without = o->seeded->without;
    p->without_count = o->seeded->without_count;
}

void search_count(struct search *s, const struct execution *x)
{
    s->tally.runs++;
    s->tally.limited_runs += x->outcome == OUTCOME_LIMIT;
    s->tally.redundant_runs += x->outcome == OUTCOME_REDUNDANT;
}

bool search_can_be_saved(const struct search *s)
{
    must((s->ops->save == NULL) == (s->ops->resume == NULL));
    return s->ops->save != NULL;
}

void search_save(struct search *s, struct out *whole, struct out *more)
{
    saved_put(whole, s->tally.runs);
    saved_put(whole, s->tally.limited_runs);
    saved_put(whole, s->tally.redundant_runs);
    saved_put(whole, s->options.scope);
    saved_put(whole, s->options.order);
    s->ops->save(s, whole, more);
}

/* The scope and order that an earlier process has found hold from the beginning. */
static int resume_scope(struct search *s, struct world *w, struct saved *whole)
{
    const uint64_t scope = saved_take(whole);
    const uint64_t order = saved_take(whole);
    if (scope > SCOPE_ORDER || order >= ORDER_COUNT) {
        return -1;
    }
    if (scope > w->scope) {
        w->scope = (enum world_scope)scope;
        w->order = (enum world_order)order;
    }
    s->options.scope = w->scope;
    s->options.order = w->order;
    return 0;
}

int search_resume(struct search *s, struct world *w, struct saved *whole, struct saved *more,
                  struct err *e)
{
    s->tally.runs = saved_take(whole);
    s->tally.limited_runs = saved_take(whole);
    s->tally.redundant_runs = saved_take(whole);
    s->has_data_races = true; /* those of earlier runs are not kept */
    const bool is_known = resume_scope(s, w, whole) == 0;
    if (is_known && s->ops->resume(s, w, whole, more, e) < 0) {
        return -1;
    }
    return !is_known || whole->is_short || whole->left > 0 || more->is_short || more->left > 0
               ? err_set(e, "what was kept of the search is damaged")
               : 0;
}
