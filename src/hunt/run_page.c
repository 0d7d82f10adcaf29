#include "hunt/run_page.h"

#include <string.h>

#include "world/recipe.h"

/* The steps that the explanation describes, in a row without a gap. */
static void add_steps(struct run_page *p, const explained_rows *rows, struct page_run *run)
{
    if (rows->count == 0) {
        return;
    }
    struct page_step *steps = arena_array(&p->arena, struct page_step, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        must(rows->at[i].number == rows->at[0].number + i);
        steps[i] = (struct page_step){rows->at[i].detail, rows->at[i].source};
    }
    run->steps = steps;
    run->step_count = rows->count;
    run->step_first = (uint32_t)rows->at[0].number - 1;
}

/* ---- the violation ---- */

static bool is_key_step(const struct explanation *x, uint32_t step)
{
    vec_each (&x->rows, row) {
        if (row->is_key && row->number == (uint64_t)step + 1) {
            return true;
        }
    }
    return false;
}

/* Of a run that hangs: the last event of each task that waits. */
static bool is_last_of_waiting(const struct trace *t, event_id id, enum outcome outcome)
{
    const struct event *event = trace_at(t, id);
    if ((outcome != OUTCOME_DEADLOCK && outcome != OUTCOME_LIVELOCK) ||
        event->kind == EVENT_THREAD_END || event->kind == EVENT_PROCESS_EXIT) {
        return false;
    }
    for (event_id later = id + 1; later < t->events.count; later++) {
        const struct event *other = trace_at(t, later);
        if (other->task == event->task && other->kind != EVENT_VIOLATION) {
            return false;
        }
    }
    return true;
}

/* A finding of the events where the violation shows, and of the operations whose order it depends
 * on. */
static void add_violation(struct run_page *p)
{
    struct findings *f = &p->findings;
    const struct trace *t = &p->runs[0].trace;
    const struct execution *run = &p->runs[0].replayed.execution;
    VEC(struct finding_event) events = {0};
    uint32_t last_step = STEP_NONE;
    must(run->event_steps.count <= t->events.count);
    for (event_id id = 0; id < t->events.count; id++) {
        const uint32_t step = id < run->event_steps.count ? run->event_steps.at[id] : STEP_NONE;
        const bool is_first = step != STEP_NONE && step != last_step;
        if (trace_at(t, id)->kind == EVENT_VIOLATION || is_last_of_waiting(t, id, run->outcome) ||
            (is_first && is_key_step(&p->explained.result, step))) {
            vec_push(&events, findings_event(f, t, id, 0));
        }
        last_step = step;
    }
    struct finding_event *copy = arena_array(&f->arena, struct finding_event, events.count);
    memcpy(copy, events.at, events.count * sizeof *copy);
    findings_add(f, &(struct finding){.kind = outcome_finding(run->outcome),
                                      .status = STATUS_CONFIRMED,
                                      .grade = GRADE_SOUND,
                                      .severity = run->severity,
                                      .what = run->what,
                                      .key = run->key,
                                      .events = copy,
                                      .event_count = events.count,
                                      .replay = p->page.replay,
                                      .pair_count = 1});
    vec_release(&events);
}

/* ---- runs ---- */

static int trace_run(struct traced_run *run, struct world *w, const struct schedule *s,
                     struct err *e)
{
    const struct replay_options options = {.trace = &run->trace};
    trace_init(&run->trace);
    const int result = replay(w, s, &options, &run->replayed, e);
    if (result == 0) {
        trace_seal(&run->trace);
    }
    return result;
}

static struct page_run *add_run(struct run_page *p, const char *title, const struct traced_run *run)
{
    must(p->page.run_count < 2);
    struct page_run *to = &p->page.runs[p->page.run_count++];
    *to = (struct page_run){.title = title,
                            .trace = &run->trace,
                            .event_steps = run->replayed.execution.event_steps.at,
                            .event_step_count = run->replayed.execution.event_steps.count};
    return to;
}

/* The nearest passing run, if its schedule can be followed. */
static int add_passing(struct run_page *p, struct world *w, struct err *e)
{
    const struct explained_run *x = &p->explained;
    struct traced_run *run = &p->runs[1];
    struct schedule s;
    struct in in;
    schedule_init(&s);
    in_open_memory(&in, x->passing, strlen(x->passing));
    int result = schedule_parse(&s, &in, e);
    if (result == 0) {
        result = trace_run(run, w, &s, e);
    }
    if (result == 0 && run->replayed.execution.outcome == OUTCOME_PASSED) {
        add_steps(p, &x->result.passing_rows, add_run(p, "the nearest passing run", run));
    }
    in_close(&in);
    schedule_release(&s);
    return result;
}

/* ---- when the run was lost ---- */

static const char *lost_sentence(struct run_page *p, const struct likelihood_point *jump)
{
    const explained_rows *rows = &p->explained.result.rows;
    const char *words = "";
    vec_each (rows, row) {
        if (row->number == jump->step_count) {
            words = explanation_text(&p->explained.result, " (%s %s%s%s)",
                                     p->explained.result.columns.at[row->column], row->operation,
                                     row->location[0] == '\0' ? "" : " at ", row->location);
        }
    }
    return explanation_text(&p->explained.result,
                            "lost at step %u%s: of runs with the same first %u steps, %u of %u "
                            "fail; with the first %u, %u of %u%s",
                            jump->step_count, words, jump->step_count, jump->failed, jump->runs,
                            jump[-1].step_count, jump[-1].failed, jump[-1].runs,
                            p->likelihood.is_cut ? " (the budget ended before every step between "
                                                   "the two was measured)"
                                                 : "");
}

static int add_likelihood(struct run_page *p, struct world *w, const struct schedule *s,
                          const struct likelihood_options *o, struct err *e)
{
    struct recipe recipe = {0};
    struct likelihood *l = &p->likelihood;
    int result = recipe_parse(&recipe, s, e);
    if (result == 0) {
        result = likelihood_measure(w, &recipe.plan, &p->explained.failing, o, l, e);
    }
    recipe_release(&recipe);
    if (result < 0 || l->points.count == 0) {
        return result;
    }
    struct page_share *shares = arena_array(&p->arena, struct page_share, l->points.count);
    for (size_t i = 0; i < l->points.count; i++) {
        const struct likelihood_point *point = &l->points.at[i];
        shares[i] = (struct page_share){point->step_count, point->failed, point->runs};
    }
    p->page.shares = shares;
    p->page.share_count = l->points.count;
    const struct likelihood_point *jump = likelihood_jump(l);
    if (jump != NULL) {
        p->page.lost = lost_sentence(p, jump);
        p->page.lost_step = jump->step_count - 1;
    }
    return 0;
}

int run_page_build(struct run_page *p, struct world *w, const struct schedule *s,
                   const struct run_page_options *o, struct err *e)
{
    struct replayed *replayed = &p->runs[0].replayed;
    struct explain_options explain = o->explain;
    explain.rows_max = 0;
    if (trace_run(&p->runs[0], w, s, e) < 0 || explain_run(w, s, &explain, &p->explained, e) < 0) {
        return -1;
    }
    p->page.title = o->title;
    p->page.replay = o->replay;
    p->page.cause = o->cause;
    p->page.verdict =
        replayed->divergence[0] != '\0' ? replayed->divergence : replayed->execution.what;
    p->page.findings = &p->findings;
    struct page_run *shown = add_run(p, o->title, &p->runs[0]);
    if (!p->explained.is_shown) {
        return 0;
    }
    p->page.explanation = &p->explained.result;
    add_steps(p, &p->explained.result.rows, shown);
    add_violation(p);
    if (p->explained.passing != NULL && add_passing(p, w, e) < 0) {
        return -1;
    }
    return o->likelihood == NULL ? 0 : add_likelihood(p, w, s, o->likelihood, e);
}

void run_page_release(struct run_page *p)
{
    for (size_t i = 0; i < 2; i++) {
        replayed_release(&p->runs[i].replayed);
        trace_release(&p->runs[i].trace);
    }
    explained_run_release(&p->explained);
    likelihood_release(&p->likelihood);
    findings_release(&p->findings);
    arena_release(&p->arena);
}
