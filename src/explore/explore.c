#include "explore/explore.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "explore/confirm.h"
#include "explore/parallel.h"
#include "explore/search_loop.h"
#include "world/recipe.h"

const char *explore_strategy_name(int strategy)
{
    switch (strategy) {
    case EXPLORE_AUTO: return "auto";
    case EXPLORE_DELAY: return "delay";
    case EXPLORE_DPOR: return "dpor";
    case EXPLORE_DIRECTED: return "directed";
    default:
        return strategy >= 0 && strategy < PICK_STRATEGY_COUNT
                   ? pick_strategy_name((enum pick_strategy)strategy)
                   : NULL;
    }
}

static struct search *search_new(const struct world *w, const struct explore_options *o,
                                 const struct loop *l, bool is_kept)
{
    struct search_options options = o->search;
    options.is_kept = is_kept;
    options.is_helping = l->part > 0;
    options.scope = w->scope;
    options.order = w->order;
    options.check_every = w->check_every;
    options.has_tasks = w->has_tasks;
    switch (o->strategy) {
    case EXPLORE_AUTO: return search_auto(&options);
    case EXPLORE_DELAY: return search_delay(&options);
    case EXPLORE_DPOR: return search_dpor(&options);
    case EXPLORE_DIRECTED: return search_directed(&options);
    default: return search_sample(&options, (enum pick_strategy)o->strategy);
    }
}

struct violation *explored_find(struct explored *x, const char *key)
{
    vec_each (&x->violations, v) {
        if (strcmp(v->key, key) == 0) {
            return v;
        }
    }
    return NULL;
}

static const char unrepeated_key[] = "not deterministic";

/* The violation that runs with this key are counted as; NULL when there is none yet. */
static struct violation *find_known(struct explored *x, const char *key)
{
    vec_each (&x->unrepeated, unrepeated) {
        if (strcmp(*unrepeated, key) == 0) {
            return explored_find(x, unrepeated_key);
        }
    }
    return explored_find(x, key);
}

enum { STEPS_SHOWN = 12 }; /* of a violation, its last ones */

/* Keeps the violation of the run with this number, from 0; true when it is the first of its kind.
 */
static bool keep_violation(struct explored *found, struct world *w, const struct plan *p,
                           const struct execution *x, uint64_t number)
{
    must(outcome_is_violation(x->outcome));
    struct violation *known = find_known(found, x->key);
    if (known != NULL) {
        known->count++;
        return false;
    }
    struct schedule s;
    struct out text;
    struct out calls;
    schedule_init(&s);
    out_open_memory(&text);
    out_open_memory(&calls);
    recipe_write(&s, w, p, x);
    schedule_print(&s, &text);
    if (w->ops->calls != NULL) {
        w->ops->calls(w, &calls);
    }
    if (w->ops->steps != NULL && x->steps.count > 0) {
        out_format(&calls, "the last %zu of %zu steps:\n",
                   x->steps.count < STEPS_SHOWN ? x->steps.count : (size_t)STEPS_SHOWN,
                   x->steps.count);
        w->ops->steps(w, STEPS_SHOWN, &calls);
    }
    vec_push(&found->violations, (struct violation){.key = mem_text(x->key, strlen(x->key)),
                                                    .what = mem_text(x->what, strlen(x->what)),
                                                    .calls = mem_text(calls.buffer, calls.used),
                                                    .schedule = mem_text(text.buffer, text.used),
                                                    .outcome = x->outcome,
                                                    .severity = x->severity,
                                                    .values = x->values,
                                                    .step_count = (uint32_t)x->steps.count,
                                                    .run = number + 1,
                                                    .hash = x->hash,
                                                    .count = 1});
    out_abandon(&calls);
    out_abandon(&text);
    schedule_release(&s);
    return true;
}

/* States that worlds report with every step are counted, up to a number that memory allows; a world
 * that hashes its memory does so now and then, and the last state stands for the run. */
static void count_states(struct explored *found, const struct world *w, const struct execution *x)
{
    enum { STATES_MAX = 1 << 20 };
    const size_t first = x->steps.count == 0 || w->ops->state_hash == NULL ? 0 : x->steps.count - 1;
    for (size_t i = first; i < x->steps.count && found->states < STATES_MAX; i++) {
        bool is_new = false;
        if (x->steps.at[i].state != 0) {
            (void)map_slot(&found->states_seen, x->steps.at[i].state, 1, &is_new);
        }
        found->states += is_new;
    }
    must(found->states == found->states_seen.entries.count);
}

static void count_run(struct explored *found, const struct world *w, const struct execution *x)
{
    found->runs++;
    found->steps += x->steps.count;
    found->limited_runs += x->outcome == OUTCOME_LIMIT;
    found->changed_runs += x->has_changed;
    vec_each (&x->steps, step) {
        found->classes[pick_class_of(&step->operation)] += step->operation.kind != EVENT_FAULT;
    }
    found->redundant_runs += x->outcome == OUTCOME_REDUNDANT;
    must(found->limited_runs + found->redundant_runs <= found->runs);
    count_states(found, w, x);
}

/* A run on its way. */
struct once {
    struct plan plan;
    struct execution execution;
    uint64_t number; /* from 0 */
    bool is_over;    /* it is the last */
};

enum { RUNS_PER_LOOK = 16 };
static const uint64_t progress_ns = 100000000;

/* Runs that are quick are looked up from now and then, others after each. */
static bool is_look_due(const struct explore_options *o, const struct loop *l,
                        const struct explored *found)
{
    return found->runs % RUNS_PER_LOOK == 0 || *o->is_stopped != 0 || limit_now_ns() >= l->look_ns;
}

/* True when it is time to stop. */
static bool look_up(const struct explore_options *o, struct loop *l, struct explored *found,
                    struct world *w)
{
    const uint64_t now = limit_now_ns();
    l->look_ns = now + progress_ns;
    found->is_stopped = *o->is_stopped != 0;
    if (found->is_stopped || limit_is_spent(&o->budget, found->runs * o->jobs)) {
        return true;
    }
    if (l->part != 0 || now < l->next_ns) {
        return false;
    }
    l->next_ns = now + progress_ns;
    const struct explore_progress p = {
        .runs = found->runs * o->jobs,
        .steps = found->steps * o->jobs,
        .states = found->states,
        .violation_count = found->violations.count,
        .find_ns = l->find_ns == 0 ? UINT64_MAX : now - l->find_ns,
        .coverage = w->ops->coverage(w),
    };
    o->progress(o->context, &p);
    return false;
}

/* Reports to the other processes that all executions were seen. */
static void tell_over(const struct loop *l, const struct explored *found)
{
    if (l->shared != NULL && found->is_complete) {
        atomic_store_explicit(&l->shared->is_over, true, memory_order_relaxed);
    }
}

static bool is_told(const struct loop *l)
{
    return l->shared != NULL && atomic_load_explicit(&l->shared->is_over, memory_order_relaxed);
}

/* The violation of this run is all that is wanted: runs before it are still made, by whichever
 * process, so that the first of all is found with any number of processes. */
static void tell_found(const struct loop *l, uint64_t number)
{
    if (l->shared == NULL) {
        return;
    }
    uint_fast64_t runs = atomic_load_explicit(&l->shared->runs, memory_order_relaxed);
    while (number < runs &&
           !atomic_compare_exchange_weak_explicit(&l->shared->runs, &runs, number,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* Whether the run is one too many. */
static bool is_beyond(const struct explore_options *o, const struct loop *l, uint64_t number)
{
    return (o->budget.runs != 0 && number - l->first >= o->budget.runs) ||
           number >= atomic_load_explicit(&l->shared->runs, memory_order_relaxed);
}

/* The last violation was not there when its run was made again: that is the finding. False when it
 * is known already. */
static bool keep_unrepeated(struct explored *found, const char *difference)
{
    must(found->violations.count > 0);
    struct violation *v = vec_last(&found->violations);
    char what[700];
    (void)snprintf(what, sizeof what,
                   "the system does not do the same when its schedule is run again (%s): %s",
                   v->what, difference);
    vec_push(&found->unrepeated, v->key);
    v->key = mem_text(unrepeated_key, strlen(unrepeated_key));
    struct violation *known = explored_find(found, unrepeated_key);
    if (known != v) {
        known->count++;
        violation_release(v);
        found->violations.count--;
        return false;
    }
    mem_free(v->what);
    v->what = mem_text(what, strlen(what));
    v->outcome = OUTCOME_NONDETERMINISM;
    v->severity = SEVERITY_ERROR;
    v->values = 0;
    return true;
}

/* Makes the run of a new violation once more, and saves the result. */
static int settle_violation(struct world *w, struct loop *l, struct explored *found,
                            const struct execution *x, struct err *e)
{
    struct trace t;
    char difference[400];
    const struct violation *v = vec_last(&found->violations);
    trace_init(&t);
    campaign_log_hold(&l->log);
    int result = repeat_check(w, v->schedule, x, &t, difference, sizeof difference, e);
    campaign_log_go_on(&l->log);
    const bool is_new =
        result == 0 && (difference[0] == '\0' || keep_unrepeated(found, difference));
    if (is_new) {
        result = campaign_log_save(&l->log, vec_last(&found->violations), &t, e);
    }
    trace_release(&t);
    return result;
}

/* Runs the plan and takes note of it everywhere. True in *is_over when a violation ends it all. */
static int run_once(struct world *w, const struct explore_options *o, struct loop *l,
                    struct explored *found, struct once *once, struct err *e)
{
    struct execution *x = &once->execution;
    if (world_run(w, &once->plan, x, e) < 0) {
        return -1;
    }
    count_run(found, w, x);
    campaign_log_run(&l->log, &once->plan, x);
    if (!outcome_is_violation(x->outcome) || once->plan.is_blind) {
        return 0;
    }
    once->is_over =
        o->stops_at_violation && (o->is_known == NULL || !o->is_known(o->known_context, x));
    if (once->is_over) {
        tell_found(l, once->number);
    }
    if (!keep_violation(found, w, &once->plan, x, once->number)) {
        return 0;
    }
    l->find_ns = limit_now_ns();
    return settle_violation(w, l, found, x, e);
}

/* Orders that the search took not to matter do, as a run has shown. */
static bool is_misled(const struct search *search, const struct explore_options *o,
                      const struct world *w)
{
    return o->strategy == EXPLORE_DPOR && search->options.scope < w->scope;
}

/* Begins again with the scope that is known now. */
static struct search *renew(struct search *search, const struct world *w,
                            const struct explore_options *o, struct loop *l)
{
    struct search *again = search_new(w, o, l, search->options.is_kept);
    if (l->log.search == search) {
        campaign_log_renew(&l->log, again);
    }
    search->ops->free(search);
    return again;
}

int loop_run(struct world *w, const struct explore_options *o, struct loop *l,
             struct explored *found, struct err *e)
{
    /* One process searches, the others sample: only the first has something to go on with. */
    const bool is_kept = o->campaign != NULL && l->part == 0;
    struct search *search = search_new(w, o, l, is_kept);
    struct once once = {0};
    l->log = (struct campaign_log){.campaign = o->campaign, .world = w};
    if (is_kept && search_can_be_saved(search)) {
        l->log.search = search;
    }
    int result = campaign_log_resume(&l->log, e);
    while (result == 0 && !once.is_over) {
        uint64_t number = 0;
        result = campaign_log_next(&l->log, &number, e);
        if (result < 0) {
            break;
        }
        /* Of several processes each makes every jobs-th run; one alone goes on
         * where its campaign was. */
        once.number = l->shared == NULL && o->campaign != NULL
                          ? number
                          : l->first + found->runs * o->jobs + l->part;
        if (l->shared != NULL && is_beyond(o, l, once.number)) {
            break;
        }
        if (!search->ops->next(search, once.number, &once.plan)) {
            found->is_complete = search->ops->is_complete(search) &&
                                 search->tally.limited_runs == 0 && !o->search.is_drawn;
            found->has_data_races = search->has_data_races;
            found->executions = search->tally.runs - search->tally.redundant_runs;
            break;
        }
        result = run_once(w, o, l, found, &once, e);
        if (result == 0 && is_misled(search, o, w)) {
            search = renew(search, w, o, l);
        } else if (result == 0) {
            search_count(search, &once.execution);
            search->ops->learn(search, &once.plan, &once.execution);
        }
        once.is_over = once.is_over || is_told(l) ||
                       (is_look_due(o, l, found) && look_up(o, l, found, w)) ||
                       (o->budget.runs != 0 && found->runs * o->jobs >= o->budget.runs);
    }
    tell_over(l, found);
    if (result == 0) {
        result = campaign_log_end(&l->log, e);
    }
    found->coverage = w->ops->coverage(w);
    found->order = w->order;
    found->shared_words = search->ops->words == NULL ? 0 : search->ops->words(search);
    found->has_drawn = w->has_drawn;
    search->ops->free(search);
    execution_release(&once.execution);
    return result;
}

int explore(struct world *w, const struct explore_options *o, struct explored *x, struct err *e)
{
    if (o->jobs > 1) {
        return parallel_explore(w, o, x, e);
    }
    struct loop l = {0};
    return loop_run(w, o, &l, x, e);
}

void violation_release(struct violation *v)
{
    mem_free(v->key);
    mem_free(v->what);
    mem_free(v->calls);
    mem_free(v->schedule);
}

void explored_release(struct explored *x)
{
    vec_each (&x->violations, v) {
        violation_release(v);
    }
    vec_release(&x->violations);
    vec_each (&x->unrepeated, key) {
        mem_free(*key);
    }
    vec_release(&x->unrepeated);
    map_release(&x->states_seen);
}
