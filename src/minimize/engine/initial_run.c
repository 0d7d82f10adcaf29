/* The first run: its violation is the one that minimization preserves. */
#include <string.h>

#include "minimize/engine/attempt.h"
#include "minimize/engine/best_run.h"
#include "minimize/engine/contents.h"
#include "world/recipe.h"

/* Runs the plan until it shows a violation; at most repeat_misses runs may miss it. */
static int run_first(struct reducer *r, const struct plan *p)
{
    struct execution *best = &r->result->best;
    uint32_t missed = 0;
    while (attempt_once(r, p, best) == 0 && !outcome_is_violation(best->outcome)) {
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

/* The plan shows the violation, but not often enough. */
static int refuse_first(struct reducer *r)
{
    if (r->is_broken) {
        return -1;
    }
    if (r->is_over) {
        return err_set(r->e, "the search ended before %u replays showed the violation",
                       repeat_wanted(r));
    }
    return repeat_runs(r) == 1
               ? err_set(r->e, "does not show the same violation in every replay: use --repeat K/N "
                               "if K of N replays show it")
               : err_set(r->e,
                         "shows the same violation in fewer than %u of %u replays: use a larger N",
                         repeat_wanted(r), repeat_runs(r));
}

static void keep_first(struct reducer *r)
{
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        vec_push(&r->first.steps, r->result->best.steps.at[i]);
        vec_push(&r->first.partner_of, r->partner_of.at[i]);
    }
}

int reducer_begin(struct reducer *r, const struct plan *p)
{
    struct minimized *m = r->result;
    m->is_flaky = repeat_runs(r) > 1;
    r->faults = p->faults;
    struct plan first = *p;
    if (r->options->no_diverge && attempt_once(r, &first, &m->best) < 0) {
        return -1; /* transitions are of variables where the system reports some: after a run they
                      are known */
    }
    first.wants_transitions = r->options->no_diverge;
    if (run_first(r, &first) < 0) {
        return -1;
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
    reducer_keep(r, &m->best);
    memcpy(m->initial_what, m->best.what, sizeof m->initial_what);
    best_count_faults(r);
    if (!attempt_is_repeatable(r, &m->best)) {
        return refuse_first(r);
    }
    m->initial_bytes = m->final_bytes = r->again_bytes;
    m->given_replays = m->replays;
    best_tell(r);
    keep_first(r);
    must(r->is_broken || r->first.steps.count == reducer_size(r));
    must(m->initial_externals <= m->initial_steps);
    must(m->given_replays > repeat_wanted(r));
    return r->is_broken ? -1 : 0;
}

struct past reducer_first(const struct reducer *r)
{
    const struct reducer *of_all = reducer_of_all(r);
    return (struct past){of_all->first.steps.at, of_all->first.partner_of.at,
                         (uint32_t)of_all->first.steps.count};
}
