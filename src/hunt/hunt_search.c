/* The stages that search for failures and make them short. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "explore/explore.h"
#include "hunt/hunt_stages.h"
#include "minimize/minimize.h"
#include "predict/predict.h"
#include "world/recipe.h"

/* Shares of the remaining time, in per cent; replays for each bug, of a program and of a simulated
 * system: clew minimize goes on from there. */
enum {
    EXPLORE_SHARE = 60,
    MINIMIZE_SHARE = 70,
    PROGRAM_REPLAYS = 3000,
    SYSTEM_REPLAYS = 100000,
};

/* ---- explore ---- */

static void show_search(void *context, const struct explore_progress *p)
{
    struct hunt *h = context;
    h->stages[HUNT_EXPLORE].done = p->runs;
    hunt_show(h, HUNT_EXPLORE);
}

static void add_violations(struct hunt *h, const struct explored *found)
{
    vec_each (&found->violations, v) {
        if (!outcome_is_cut(v->outcome, v->severity)) {
            (void)bugs_add_failure(&h->bugs, &(struct bug_failure){.outcome = v->outcome,
                                                                   .severity = v->severity,
                                                                   .what = v->what,
                                                                   .key = v->key,
                                                                   .schedule = v->schedule,
                                                                   .stage = "explore"});
        }
    }
}

int hunt_explore(struct hunt *h, struct err *e)
{
    const uint64_t planned = h->target.is_program ? HUNT_PROGRAM_RUNS : HUNT_SYSTEM_RUNS;
    struct hunt_stage_account *a = hunt_stage_begin(h, HUNT_EXPLORE, planned);
    struct explored found = {0};
    struct explore_options o = {.strategy = EXPLORE_AUTO,
                                .search = h->target.search,
                                .budget = hunt_share(h, EXPLORE_SHARE, planned),
                                .jobs = h->options->jobs,
                                .progress = show_search,
                                .context = h,
                                .is_stopped = h->options->budget.is_stopped};
    o.search.predict = h->target.is_program ? predict_aims : NULL;
    const int result = hunt_is_over(h) ? 0 : explore(h->target.world, &o, &found, e);
    a->runs = a->done = found.runs;
    h->is_complete = found.is_complete && !found.has_drawn;
    h->has_data_races = found.has_data_races;
    add_violations(h, &found);
    (void)snprintf(a->note, sizeof a->note, "%zu kind%s of failure%s", found.violations.count,
                   found.violations.count == 1 ? "" : "s",
                   found.is_complete ? "; all executions were explored" : "");
    hunt_stage_end(h, HUNT_EXPLORE, result == 0 && (found.is_complete || found.runs >= planned));
    explored_release(&found);
    return result;
}

/* ---- minimize ---- */

static int read_recipe(struct recipe *recipe, struct schedule *s, const struct bug *bug,
                       struct err *e)
{
    struct in in;
    in_open_memory(&in, bug->schedule, bug->schedule_size);
    int result = schedule_parse(s, &in, e);
    if (result == 0) {
        result = recipe_parse(recipe, s, e);
    }
    in_close(&in);
    return result;
}

/* Keeps the minimized schedule and writes it. */
static int keep_minimized(struct hunt *h, struct bug *bug, size_t number, const struct minimized *m,
                          struct err *e)
{
    char *text = race_schedule_text(h->target.world, &m->plan, &m->best);
    bug->minimized_size = strlen(text);
    bug->minimized = arena_text(&h->bugs.arena, text, bug->minimized_size);
    mem_free(text);
    bug->what = arena_text(&h->bugs.arena, m->best.what, strlen(m->best.what));
    bug->steps_before = m->initial_steps;
    bug->switches_before = m->initial_switches;
    bug->steps = (uint32_t)m->best.steps.count;
    bug->switches = m->final_switches;
    bug->has_fewest_switches = m->has_fewest_switches;
    const bool is_cut = m->stopped_by == LIMIT_TIME || m->stopped_by == LIMIT_STOPPED ||
                        m->stopped_by == LIMIT_BYTES;
    bug->minimize_note = is_cut ? "the budget ended its minimization" : "";
    bug->minimized_path = hunt_path(h, "%zu.min.sched", number);
    return hunt_write_text(bug->minimized_path, bug->minimized, bug->minimized_size, e);
}

static int minimize_bug(struct hunt *h, struct bug *bug, size_t number, const struct limit *limit,
                        struct err *e)
{
    struct schedule s;
    struct recipe recipe = {0};
    struct minimized m = {0};
    const struct minimize_options o = {.budget = *limit,
                                       .jobs = h->options->jobs,
                                       .keeps_checkpoints = h->target.keeps_checkpoints,
                                       .is_stopped = h->options->budget.is_stopped};
    schedule_init(&s);
    int result = read_recipe(&recipe, &s, bug, e);
    if (result == 0) {
        struct err why;
        const int done = minimize(h->target.world, &recipe.plan, &o, &m, &why);
        h->stages[HUNT_MINIMIZE].runs += m.replays;
        if (done == 0) {
            result = keep_minimized(h, bug, number, &m, e);
        } else {
            bug->is_repeatable = outcome_is_violation(m.best.outcome);
            bug->minimize_note = arena_text(&h->bugs.arena, why.text, strlen(why.text));
        }
    }
    minimized_release(&m);
    recipe_release(&recipe);
    schedule_release(&s);
    return result;
}

static bool can_be_minimized(const struct bug *bug)
{
    return bug->harm == HARM_HARMFUL && bug->kind != FINDING_NONDETERMINISM;
}

int hunt_minimize(struct hunt *h, struct err *e)
{
    size_t left = 0;
    vec_each (&h->bugs.list, bug) {
        left += can_be_minimized(bug);
    }
    if (left == 0) {
        return 0;
    }
    struct hunt_stage_account *a = hunt_stage_begin(h, HUNT_MINIMIZE, left);
    const uint64_t replays = h->target.is_program ? PROGRAM_REPLAYS : SYSTEM_REPLAYS;
    const struct limit all = hunt_share(h, MINIMIZE_SHARE, replays);
    int result = 0;
    for (size_t i = 0; i < h->bugs.list.count && result == 0; i++) {
        struct bug *bug = &h->bugs.list.at[i];
        if (!can_be_minimized(bug)) {
            continue;
        }
        struct limit limit = all;
        if (all.time_ns != 0) {
            limit.time_ns = limit_time_left_ns(&all) / left + 1;
            limit.begin_ns = limit_now_ns();
        }
        result = minimize_bug(h, bug, i + 1, &limit, e);
        left--;
        a->done++;
        hunt_show(h, HUNT_MINIMIZE);
    }
    hunt_stage_end(h, HUNT_MINIMIZE, result == 0);
    return result;
}
