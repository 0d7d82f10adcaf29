/* The stages that predict and confirm. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "explore/explore.h"
#include "hunt/finding_instance.h"
#include "hunt/hunt_stages.h"
#include "pick/operation_name.h"
#include "trace/format.h"
#include "world/recipe.h"

/* Shares of the remaining time, in per cent; steps of a run that has a trace; runs for one
 * prediction, fewer for one of atomicity: no search refutes it, and steered runs confirm it soon.
 */
enum {
    OBSERVE_SHARE = 20,
    CONFIRM_SHARE = 40,
    TRACE_STEPS_MAX = 20000,
    CONFIRM_RUNS = 1000,
    CONFIRM_ATOMICITY_RUNS = 150,
};

static bool fails(const struct execution *x)
{
    return outcome_is_violation(x->outcome) && !outcome_is_cut(x->outcome, x->severity);
}

/* ---- observe ---- */

static void add_failing_run(struct hunt *h, const struct plan *plan, const struct execution *x)
{
    char *schedule = race_schedule_text(h->target.world, plan, x);
    (void)bugs_add_failure(&h->bugs, &(struct bug_failure){.outcome = x->outcome,
                                                           .severity = x->severity,
                                                           .what = x->what,
                                                           .key = x->key,
                                                           .schedule = schedule,
                                                           .stage = "observe"});
    mem_free(schedule);
}

/* The default order first: a run in which each task goes on as long as it can. Random ones follow,
 * because in the default order one worker of a pool may take all the jobs. */
static struct plan observed_plan(const struct hunt *h, uint32_t number)
{
    static const enum pick_strategy ways[] = {PICK_RANDOM, PICK_POS, PICK_SURW};
    struct plan plan = search_plan(&h->target.search);
    plan.pick.strategy = number == 0 ? PICK_FIRST : ways[number % (sizeof ways / sizeof *ways)];
    plan.pick.seed = number == 0 ? h->options->seed : name_join(h->options->seed, number);
    plan.trace_steps_max = TRACE_STEPS_MAX;
    return plan;
}

/* Makes one run, keeps its trace and predicts from it. */
static int observe_run(struct hunt *h, uint32_t number, const struct limit *limit, struct err *e)
{
    struct trace *t = mem_zero(1, sizeof *t);
    struct execution x = {0};
    struct plan plan = observed_plan(h, number);
    trace_init(t);
    plan.trace = t;
    const int result = world_run(h->target.world, &plan, &x, e);
    h->stages[HUNT_OBSERVE].runs++;
    const bool has_trace = result == 0 && x.event_steps.count > 0;
    if (has_trace) {
        trace_seal(t);
        predictions_add(&h->predictions, t, (uint32_t)h->traces.count, limit);
        vec_push(&h->traces, t);
    } else {
        trace_release(t);
        mem_free(t);
    }
    if (result == 0 && fails(&x)) {
        plan.trace = NULL;
        add_failing_run(h, &plan, &x);
    }
    execution_release(&x);
    return result;
}

static bool has_prediction_of(const struct hunt *h, size_t run)
{
    vec_each (&h->predictions.list, prediction) {
        const struct finding *f = &prediction->finding;
        if (f->event_count > 0 && f->events[0].input == run) {
            return true;
        }
    }
    return false;
}

/* Writes the traces that predictions are from, and the first one in any case. */
static int write_traces(struct hunt *h, struct err *e)
{
    for (size_t i = 0; i < h->traces.count; i++) {
        vec_push(&h->trace_paths, hunt_path(h, "run-%zu.clew", i + 1));
        if ((i == 0 || has_prediction_of(h, i)) &&
            format_save(&format_native, h->traces.at[i], h->trace_paths.at[i], e) < 0) {
            return -1;
        }
    }
    must(h->trace_paths.count == h->traces.count);
    return 0;
}

int hunt_observe(struct hunt *h, struct err *e)
{
    struct hunt_stage_account *a = hunt_stage_begin(h, HUNT_OBSERVE, HUNT_OBSERVED_RUNS);
    const struct limit limit = hunt_share(h, OBSERVE_SHARE, HUNT_OBSERVED_RUNS);
    int result = 0;
    while (result == 0 && a->done < a->total && !limit_is_spent(&limit, a->done)) {
        result = observe_run(h, (uint32_t)a->done, &limit, e);
        a->done++;
        hunt_show(h, HUNT_OBSERVE);
    }
    predictions_close(&h->predictions);
    const bool is_finished = result == 0 && a->done == a->total && !h->predictions.is_cut;
    (void)snprintf(a->note, sizeof a->note, "%zu prediction%s%s", h->predictions.list.count,
                   h->predictions.list.count == 1 ? "" : "s",
                   h->predictions.is_cut ? "; an analysis reached its limit" : "");
    hunt_stage_end(h, HUNT_OBSERVE, is_finished);
    return result == 0 ? write_traces(h, e) : -1;
}

/* ---- confirm ---- */

static int confirm_one(struct hunt *h, struct prediction *p, const struct limit *limit,
                       struct err *e)
{
    const struct confirm_options options = {.limit = limit,
                                            .depth = h->target.search.depth,
                                            .seed = h->options->seed,
                                            .doubt = h->options->doubt,
                                            .context = h->options->context};
    const int result = confirm_finding(h->target.world, &p->finding, &options, &p->answer, e);
    p->is_tried = true;
    h->stages[HUNT_CONFIRM].runs += p->answer.run_count;
    const bool is_harmful = result == 0 && p->answer.status == STATUS_CONFIRMED &&
                            p->answer.orders.harm == HARM_HARMFUL;
    if (is_harmful) {
        bugs_add_harmful(&h->bugs, p);
    }
    return result;
}

static void ignore_progress(void *context, const struct explore_progress *p)
{
    (void)context;
    (void)p;
}

/* Notes that a run which begins as the one that shows the prediction fails. */
static void blame(struct prediction *p, const struct violation *v)
{
    struct race_orders *o = &p->answer.orders;
    o->harm = HARM_HARMFUL;
    o->violation.outcome = v->outcome;
    o->violation.severity = v->severity;
    (void)snprintf(o->violation.what, sizeof o->violation.what, "%s", v->what);
    (void)snprintf(o->violation.key, sizeof o->violation.key, "%s", v->key);
    (void)snprintf(o->failure, sizeof o->failure, "%s: %.380s", outcome_name(v->outcome), v->what);
    (void)snprintf(o->reason, sizeof o->reason, "a run that begins with it fails");
    mem_free(o->schedules[0]);
    o->schedules[0] = mem_text(v->schedule, strlen(v->schedule));
}

/* Searches among the runs that begin as the one that shows the prediction. */
static int search_from(struct hunt *h, struct prediction *p, const struct plan *from,
                       const struct limit *limit, struct err *e)
{
    struct explored found = {0};
    struct explore_options o = {.strategy = PICK_POS,
                                .search = h->target.search,
                                .budget = *limit,
                                .jobs = 1,
                                .stops_at_violation = true,
                                .progress = ignore_progress,
                                .is_stopped = h->options->budget.is_stopped};
    o.search.from = from;
    const int result = explore(h->target.world, &o, &found, e);
    h->stages[HUNT_CONFIRM].runs += found.runs;
    vec_each (&found.violations, v) {
        const bool is_failure = !outcome_is_cut(v->outcome, v->severity) &&
                                v->outcome != OUTCOME_NONDETERMINISM &&
                                p->answer.orders.harm != HARM_HARMFUL;
        if (is_failure) {
            blame(p, v);
            bugs_add_harmful(&h->bugs, p);
        }
    }
    explored_release(&found);
    return result;
}

/* Looks for harm of a confirmed prediction whose runs have all passed so far. */
static int follow(struct hunt *h, struct prediction *p, const struct limit *limit, struct err *e)
{
    struct schedule s;
    struct recipe recipe = {0};
    struct in in;
    const struct race_orders *o = &p->answer.orders;
    schedule_init(&s);
    in_open_memory(&in, o->schedules[0], strlen(o->schedules[0]));
    int result = schedule_parse(&s, &in, e);
    if (result == 0) {
        result = recipe_parse(&recipe, &s, e);
    }
    if (result == 0) {
        struct plan *from = &recipe.plan;
        from->steps_max = o->shown_steps;
        while (from->pick.turn_count > 0 &&
               from->pick.turns[from->pick.turn_count - 1].step >= from->steps_max) {
            from->pick.turn_count--;
        }
        result = search_from(h, p, from, limit, e);
    }
    in_close(&in);
    recipe_release(&recipe);
    schedule_release(&s);
    return result;
}

static bool is_harmless(const struct prediction *p)
{
    return p->is_tried && p->answer.status == STATUS_CONFIRMED &&
           p->answer.orders.harm != HARM_HARMFUL && p->answer.orders.shown_steps > 0;
}

int hunt_confirm(struct hunt *h, struct err *e)
{
    struct predictions *p = &h->predictions;
    struct hunt_stage_account *a = hunt_stage_begin(h, HUNT_CONFIRM, p->list.count);
    const struct limit all = hunt_share(h, CONFIRM_SHARE, 0);
    int result = 0;
    for (size_t i = 0; i < p->list.count && result == 0 && !limit_is_spent(&all, 0); i++) {
        const bool is_atomicity = finding_is_atomicity(&p->list.at[i].finding);
        struct limit limit =
            hunt_share(h, 100, is_atomicity ? CONFIRM_ATOMICITY_RUNS : CONFIRM_RUNS);
        if (all.time_ns != 0) {
            limit.time_ns = limit_time_left_ns(&all) / (p->list.count - i) * 2 + 1;
        }
        result = confirm_one(h, &p->list.at[i], &limit, e);
        if (result == 0 && is_harmless(&p->list.at[i])) {
            limit.runs = HUNT_FOLLOWED_RUNS;
            result = follow(h, &p->list.at[i], &limit, e);
        }
        a->done++;
        hunt_show(h, HUNT_CONFIRM);
    }
    (void)snprintf(a->note, sizeof a->note, "%zu confirmed, %zu refuted, %zu unknown",
                   predictions_count(p, STATUS_CONFIRMED), predictions_count(p, STATUS_REFUTED),
                   predictions_count(p, STATUS_UNKNOWN));
    hunt_stage_end(h, HUNT_CONFIRM, result == 0 && a->done == a->total);
    return result;
}
