/* The stage that explains bugs and draws their pages. */
#include <string.h>

#include "hunt/explain_finding.h"
#include "hunt/finding_instance.h"
#include "hunt/hunt_stages.h"
#include "hunt/page_sources.h"
#include "hunt/run_page.h"
#include "world/recipe.h"

/* Runs beside a failing one until one passes; rows of an interleaving in the report. */
enum { EXPLAIN_RUNS = 300, EXPLAIN_SHARE = 70, ROWS_MAX = 40 };

static int write_page(struct hunt *h, struct bug *bug, size_t number, struct page *page,
                      struct err *e)
{
    struct out out;
    const char *path = hunt_path(h, "%zu.html", number);
    const struct page_folders folders = {h->options->sources, h->options->source_count};
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    if (page_write_with_sources(page, &folders, &out, e) < 0) {
        out_abandon(&out);
        return -1;
    }
    bug->page_path = path;
    return out_close(&out, e);
}

/* Whether the first `count` causes leave this one to say nothing more: one is of the same variable,
 * or one is a race or a deadlock and this one an atomicity violation, which assumes that two
 * accesses belong together. */
static bool is_covered(const struct bug *bug, const struct prediction *cause, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct finding *f = &bug->causes.at[i]->finding;
        if (bugs_share_variable(f, &cause->finding) ||
            (finding_is_atomicity(&cause->finding) && !finding_is_atomicity(f))) {
            return true;
        }
    }
    return false;
}

/* Whether the run shows the finding because of a context switch that the schedule asks for: a block
 * that is interrupted while its task waits is so in every run. */
static bool is_by_choice(const struct finding *f, const struct finding_instance *at,
                         const struct plan *p)
{
    bool is_chosen = !finding_is_atomicity(f);
    for (size_t i = 0; i < p->pick.turn_count && at->is_shown; i++) {
        const uint32_t step = p->pick.turns[i].step;
        is_chosen = is_chosen || (at->steps[0] < step && step <= at->steps[1]);
    }
    return at->is_shown && is_chosen;
}

/* Brings the causes that the failing run shows to the front, one for each variable: a confirmed
 * prediction that the run does not show is no part of why it fails. Where it shows none, the first
 * one remains, which a failing run follows. Returns the steps of the first one in *at. */
static int settle_causes(struct hunt *h, struct bug *bug, const struct schedule *s,
                         struct finding_instance *at, struct err *e)
{
    struct recipe recipe = {0};
    int result = recipe_parse(&recipe, s, e);
    size_t shown = 0;
    *at = (struct finding_instance){0};
    for (size_t i = 0; i < bug->causes.count && result == 0; i++) {
        const struct prediction *cause = bug->causes.at[i];
        struct finding_instance own = {0};
        if (is_covered(bug, cause, shown)) {
            continue;
        }
        result = finding_instance_find(h->target.world, &cause->finding, &recipe.plan, &own, e);
        if (result == 0 && is_by_choice(&cause->finding, &own, &recipe.plan)) {
            *at = shown == 0 ? own : *at;
            memmove(&bug->causes.at[shown + 1], &bug->causes.at[shown],
                    (i - shown) * sizeof(struct prediction *));
            bug->causes.at[shown++] = cause;
        }
    }
    bug->shown_count = shown == 0 && bug->causes.count > 0 ? 1 : shown;
    must(bug->shown_count <= bug->causes.count);
    recipe_release(&recipe);
    return result;
}

/* Explains the failing run, the minimized one where there is one. */
static int explain_failure(struct hunt *h, struct bug *bug, size_t number,
                           const struct limit *limit, struct err *e)
{
    struct schedule s;
    struct run_page page = {0};
    struct in in;
    const bool is_minimized = bug->minimized_path[0] != '\0';
    struct finding_instance cause;
    struct run_page_options options = {.title =
                                           is_minimized ? bug->minimized_path : bug->schedule_path,
                                       .replay = bug->replay,
                                       .explain = {.limit = limit}};
    schedule_init(&s);
    in_open_memory(&in, is_minimized ? bug->minimized : bug->schedule,
                   is_minimized ? bug->minimized_size : bug->schedule_size);
    int result = schedule_parse(&s, &in, e);
    if (result == 0) {
        result = settle_causes(h, bug, &s, &cause, e);
    }
    if (result == 0) {
        options.explain.key_steps = cause.steps;
        options.explain.key_step_count = cause.count;
        options.cause = bug->shown_count == 0 ? NULL : bug->causes.at[0]->finding.what;
        result = run_page_build(&page, h->target.world, &s, &options, e);
    }
    if (result == 0) {
        result = write_page(h, bug, number, &page.page, e);
        bug->is_repeatable = bug->is_repeatable && page.explained.is_shown;
    }
    if (result == 0 && page.explained.is_shown) {
        bug->explanation = page.explained.result;
        bug->is_explained = true;
        bug->explanation.replay = bug->replay;
        page.explained.result = (struct explanation){0};
        explanation_cut(&bug->explanation, ROWS_MAX);
    }
    in_close(&in);
    run_page_release(&page);
    schedule_release(&s);
    return result;
}

/* Explains a confirmed prediction without known harm by the trace that it was predicted from. */
static int explain_prediction(struct hunt *h, struct bug *bug, size_t number,
                              struct source_lines *source, struct err *e)
{
    must(bug->causes.count > 0);
    const struct finding *f = &bug->causes.at[0]->finding;
    must(f->event_count > 0);
    const size_t run = f->events[0].input;
    const struct explain_finding_options options = {.trace = *vec_at(&h->traces, run),
                                                    .trace_name = *vec_at(&h->trace_paths, run),
                                                    .rows_max = ROWS_MAX,
                                                    .source = source};
    bug->shown_count = bug->causes.count;
    int result = explain_finding(f, &options, &bug->explanation, e);
    if (result == 0) {
        struct findings one = {0};
        findings_add(&one, f);
        bug->is_explained = true;
        bug->explanation.replay = bug->replay;
        struct page page = {.title = h->trace_paths.at[run],
                            .verdict = f->what,
                            .replay = bug->replay,
                            .runs = {{.title = h->trace_paths.at[run], .trace = h->traces.at[run]}},
                            .run_count = 1,
                            .findings = &one,
                            .explanation = &bug->explanation};
        result = write_page(h, bug, number, &page, e);
        findings_release(&one);
    }
    return result;
}

int hunt_explain(struct hunt *h, struct err *e)
{
    if (h->bugs.list.count == 0) {
        return 0;
    }
    struct source_lines source;
    struct hunt_stage_account *a = hunt_stage_begin(h, HUNT_EXPLAIN, h->bugs.list.count);
    const struct limit all = hunt_share(h, EXPLAIN_SHARE, 0);
    int result = 0;
    source_lines_init(&source, h->options->sources, h->options->source_count);
    for (size_t i = 0; i < h->bugs.list.count && result == 0; i++) {
        struct bug *bug = &h->bugs.list.at[i];
        struct limit limit = all;
        limit.runs = EXPLAIN_RUNS;
        if (all.time_ns != 0) {
            limit.time_ns = limit_time_left_ns(&all) / (h->bugs.list.count - i) + 1;
            limit.begin_ns = limit_now_ns();
        }
        result = bug->harm == HARM_HARMFUL ? explain_failure(h, bug, i + 1, &limit, e)
                                           : explain_prediction(h, bug, i + 1, &source, e);
        a->done++;
        hunt_show(h, HUNT_EXPLAIN);
    }
    source_lines_release(&source);
    hunt_stage_end(h, HUNT_EXPLAIN, result == 0);
    return result;
}
