#include "hunt/reproduce.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "explore/explore.h"
#include "hunt/finding_instance.h"
#include "hunt/race_orders.h"
#include "pick/operation_name.h"
#include "predict/predict.h"
#include "trace/finding.h"

/* Runs in recorded order, and runs that leave the last of them at random. */
enum { ALIGNED_RUNS = 24, BESIDE_RUNS = 400 };
#define NOT_RECORDED UINT32_MAX

struct reproducing {
    struct world *world;
    const struct reproduce_options *o;
    struct reproduced *result;
    struct recorded_end end;
    struct map position; /* an event of the recording -> its place in the order */
    struct map reached;  /* places that some run had */
    VEC(struct pick_turn) turns;
    struct execution run;
    uint64_t last_hash;
    bool is_settled; /* the last run took the same steps as the one before */
};

/* The end of a recording */

struct recorded_end recorded_end_of(const struct trace *t)
{
    struct recorded_end end = {END_KILLED, 0};
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *event = trace_at(t, id);
        const bool is_exit = event->kind == EVENT_PROCESS_EXIT && event->task == 0;
        if (event->kind == EVENT_PROCESS_CRASH && event->task == 0) {
            const int64_t signal = event->value;
            const bool is_crash = signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS ||
                                  signal == SIGILL || signal == SIGFPE || signal == SIGTRAP;
            end = (struct recorded_end){is_crash ? END_CRASH : END_KILLED, signal};
        } else if (is_exit) {
            end = (struct recorded_end){event->value == 0 ? END_PASSED : END_EXIT, event->value};
        }
    }
    return end;
}

void recorded_end_print(struct recorded_end end, struct out *out)
{
    switch (end.kind) {
    case END_PASSED: out_text(out, "ended with status 0"); return;
    case END_EXIT: out_format(out, "ended with status %lld", (long long)end.value); return;
    case END_CRASH: out_format(out, "was killed by signal %lld", (long long)end.value); return;
    case END_KILLED:
        if (end.value == 0) {
            out_text(out, "has no end in the recording: it hung, or was killed");
        } else {
            out_format(out, "was killed by signal %lld, from outside", (long long)end.value);
        }
        return;
    }
    bug("an end has words");
}

/* Whether a run that ends like this fails as the recorded one did. A memory error that clew sees at
 * once is the crash that it causes later. */
static bool is_same_failure(const struct reproducing *g, enum outcome outcome,
                            enum finding_severity severity)
{
    if (!outcome_is_violation(outcome) || outcome_is_cut(outcome, severity) ||
        outcome == OUTCOME_NONDETERMINISM) {
        return false;
    }
    const bool is_hang =
        outcome == OUTCOME_DEADLOCK || outcome == OUTCOME_LIVELOCK || outcome == OUTCOME_HANG;
    switch (g->end.kind) {
    case END_PASSED: break;
    case END_EXIT: return outcome == OUTCOME_EXIT;
    case END_CRASH: return !is_hang && outcome != OUTCOME_EXIT;
    case END_KILLED: return is_hang || (g->end.value == 0 && outcome != OUTCOME_EXIT);
    }
    bug("a recording that passed has no failure");
}

static void keep_failure(struct reproducing *g, const char *way, char *schedule)
{
    struct reproduced *r = g->result;
    must(!r->is_found);
    r->is_found = true;
    r->way = way;
    r->schedule = schedule;
}

/* Looks at the run that the plan made. */
static void judge(struct reproducing *g, const struct plan *plan, const char *way)
{
    struct reproduced *r = g->result;
    const struct execution *x = &g->run;
    if (is_same_failure(g, x->outcome, x->severity)) {
        r->outcome = x->outcome;
        r->severity = x->severity;
        (void)snprintf(r->what, sizeof r->what, "%s", x->what);
        (void)snprintf(r->key, sizeof r->key, "%s", x->key);
        keep_failure(g, way, race_schedule_text(g->world, plan, x));
    } else if (outcome_is_violation(x->outcome) && !outcome_is_cut(x->outcome, x->severity)) {
        (void)snprintf(r->other, sizeof r->other, "%s: %.250s", outcome_name(x->outcome), x->what);
    }
}

/* Alignment */

/* An event by its task, kind and place in the code; and then by its occurrence. */
static uint64_t event_name(struct findings *words, const struct trace *t, event_id id,
                           struct map *occurrences)
{
    const struct finding_event e = findings_event(words, t, id, 0);
    const uint64_t name =
        name_mix(name_mix(name_text(e.task, strlen(e.task)), name_text(e.access, strlen(e.access))),
                 name_text(e.location, strlen(e.location)));
    uint32_t *count = map_slot(occurrences, name, 0, NULL);
    return name_occurrence(name, ++*count);
}

static void read_recording(struct reproducing *g, const struct trace *t)
{
    struct findings words = {0};
    struct map occurrences = {0};
    for (event_id id = 0; id < t->events.count; id++) {
        map_put(&g->position, event_name(&words, t, id, &occurrences), id);
    }
    must(g->position.entries.count <= t->events.count);
    findings_release(&words);
    map_release(&occurrences);
}

/* A step of the last run, and the place of the recorded event that it is. */
struct aligned_step {
    uint32_t step;
    uint32_t position;
};

static int compare_steps(const void *left, const void *right, const void *unused)
{
    (void)unused;
    const struct aligned_step *a = left;
    const struct aligned_step *b = right;
    if (a->position != b->position) {
        return a->position < b->position ? -1 : 1;
    }
    return a->step < b->step ? -1 : a->step > b->step;
}

/* Gives each step of the run the place of its first recorded event. Places ascend in each task: an
 * event that is in another order there is another occurrence. */
static void find_positions(struct reproducing *g, const struct trace *t, struct aligned_step *steps)
{
    struct findings words = {0};
    struct map occurrences = {0};
    struct map last = {0}; /* task -> the place of its last step, and 1 */
    for (event_id id = 0; id < g->run.event_steps.count; id++) {
        const uint32_t step = g->run.event_steps.at[id];
        const uint64_t name = event_name(&words, t, id, &occurrences);
        const uint32_t *position = map_get(&g->position, name);
        if (step == STEP_NONE || position == NULL) {
            continue;
        }
        uint32_t *before = map_slot(&last, g->run.steps.at[step].operation.task, 0, NULL);
        (void)map_slot(&g->reached, *position, 1, NULL);
        if (*position >= *before && steps[step].position == NOT_RECORDED) {
            steps[step].position = *position;
            *before = *position + 1;
        }
    }
    findings_release(&words);
    map_release(&occurrences);
    map_release(&last);
}

/* Steps that were not recorded come right before the next recorded one of their task. */
static void place_others(const struct reproducing *g, struct aligned_step *steps)
{
    struct map next = {0};
    for (size_t i = g->run.steps.count; i-- > 0;) {
        uint32_t *position = map_slot(&next, g->run.steps.at[i].operation.task, NOT_RECORDED, NULL);
        if (steps[i].position == NOT_RECORDED) {
            steps[i].position = *position;
        }
        *position = steps[i].position;
    }
    map_release(&next);
}

/* The steps of the run in recorded order, as turns of the next one. */
static void align(struct reproducing *g, const struct trace *t)
{
    const size_t count = g->run.steps.count;
    struct aligned_step *steps = mem_zero(count + 1, sizeof *steps);
    for (size_t i = 0; i < count; i++) {
        steps[i] = (struct aligned_step){(uint32_t)i, NOT_RECORDED};
    }
    find_positions(g, t, steps);
    place_others(g, steps);
    sort_stable(steps, count, sizeof *steps, compare_steps, NULL);
    vec_clear(&g->turns);
    for (size_t i = 0; i < count && steps[i].position != NOT_RECORDED; i++) {
        vec_push(&g->turns,
                 (struct pick_turn){.name = g->run.steps.at[steps[i].step].operation.name,
                                    .step = (uint32_t)i,
                                    .is_optional = true});
    }
    must(g->turns.count <= count);
    mem_free(steps);
}

/* Runs */

static bool goes_on(const struct reproducing *g)
{
    return !g->result->is_found && *g->o->is_stopped == 0 &&
           !limit_is_spent(&g->o->limit, g->result->run_count);
}

static struct plan base_plan(const struct reproducing *g)
{
    struct plan plan = search_plan(&g->o->search);
    plan.pick.turns = g->turns.at;
    plan.pick.turn_count = g->turns.count;
    plan.pick.strategy = PICK_FIRST;
    return plan;
}

/* One run in recorded order, as far as that is known. */
static int run_aligned(struct reproducing *g, struct err *e)
{
    struct trace trace;
    struct plan plan = base_plan(g);
    trace_init(&trace);
    plan.trace = &trace;
    plan.trace_steps_max = FINDING_TRACE_STEPS_MAX;
    const int result = world_run(g->world, &plan, &g->run, e);
    g->result->run_count++;
    if (result == 0) {
        plan.trace = NULL;
        judge(g, &plan, "recorded order");
        g->is_settled = g->run.hash == g->last_hash;
        g->last_hash = g->run.hash;
        if (g->run.event_steps.count > 0) {
            trace_seal(&trace);
            align(g, &trace);
        }
    }
    trace_release(&trace);
    return result;
}

/* Runs that follow the recorded order up to some step and go on at random from there. */
static int run_beside(struct reproducing *g, uint64_t number, struct err *e)
{
    static const enum pick_strategy ways[] = {PICK_POS, PICK_RANDOM, PICK_SURW};
    struct plan plan = base_plan(g);
    plan.pick.seed = name_join(g->o->search.seed, number);
    plan.pick.strategy = ways[number % (sizeof ways / sizeof *ways)];
    plan.pick.turn_count =
        g->turns.count == 0 ? 0 : name_mix(plan.pick.seed, 7) % (g->turns.count + 1);
    const int result = world_run(g->world, &plan, &g->run, e);
    g->result->run_count++;
    if (result == 0) {
        judge(g, &plan, "runs beside the recorded order");
    }
    return result;
}

static bool is_other_failure(void *context, const struct execution *x)
{
    const struct reproducing *g = context;
    return !is_same_failure(g, x->outcome, x->severity);
}

static void ignore_progress(void *context, const struct explore_progress *p)
{
    (void)context;
    (void)p;
}

static int search(struct reproducing *g, struct err *e)
{
    struct reproduced *r = g->result;
    struct explored found = {0};
    const struct plan seeded = base_plan(g);
    struct explore_options o = {.strategy = EXPLORE_AUTO,
                                .search = g->o->search,
                                .budget = g->o->limit,
                                .jobs = 1,
                                .stops_at_violation = true,
                                .is_known = is_other_failure,
                                .known_context = g,
                                .progress = ignore_progress,
                                .is_stopped = g->o->is_stopped};
    o.search.seeded = &seeded;
    o.search.predict = predict_aims;
    if (o.budget.runs > r->run_count) {
        o.budget.runs -= r->run_count;
    }
    const int result = explore(g->world, &o, &found, e);
    r->run_count += found.runs;
    vec_each (&found.violations, v) {
        if (!r->is_found && is_same_failure(g, v->outcome, v->severity)) {
            r->outcome = v->outcome;
            r->severity = v->severity;
            (void)snprintf(r->what, sizeof r->what, "%s", v->what);
            (void)snprintf(r->key, sizeof r->key, "%s", v->key);
            keep_failure(g, "search", mem_text(v->schedule, strlen(v->schedule)));
        } else if (!outcome_is_cut(v->outcome, v->severity)) {
            (void)snprintf(r->other, sizeof r->other, "%s: %.250s", outcome_name(v->outcome),
                           v->what);
        }
    }
    explored_release(&found);
    return result;
}

int reproduce(struct world *w, const struct trace *t, const struct reproduce_options *o,
              struct reproduced *r, struct err *e)
{
    struct reproducing g = {.world = w, .o = o, .result = r, .end = recorded_end_of(t)};
    int result = 0;
    must(g.end.kind != END_PASSED);
    must(r->run_count == 0);
    read_recording(&g, t);
    for (int i = 0; i < ALIGNED_RUNS && result == 0 && goes_on(&g) && !g.is_settled; i++) {
        result = run_aligned(&g, e);
    }
    for (uint64_t i = 1; i <= BESIDE_RUNS && result == 0 && goes_on(&g); i++) {
        result = run_beside(&g, i, e);
    }
    if (result == 0 && goes_on(&g)) {
        result = search(&g, e);
    }
    r->recorded_count = (uint32_t)g.position.entries.count;
    r->aligned_count = (uint32_t)g.reached.entries.count;
    map_release(&g.position);
    map_release(&g.reached);
    vec_release(&g.turns);
    execution_release(&g.run);
    return result;
}

void reproduced_release(struct reproduced *r)
{
    mem_free(r->schedule);
    *r = (struct reproduced){0};
}
