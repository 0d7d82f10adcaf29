#include "hunt/confirm_finding.h"

#include <stdio.h>
#include <string.h>

#include "explore/search.h"
#include "hunt/finding_instance.h"
#include "pick/operation_name.h"

/* Runs that are steered before the systematic search begins; orders of one race that are compared
 * until one is harmful. */
enum { STEERED_RUNS = 60, INSTANCES_MAX = 8 };

struct confirming {
    struct world *world;
    const struct finding *finding;
    const struct confirm_options *o;
    struct confirmation *result;
    struct finding_places places;
    struct relation relation;
    struct execution run;
    struct execution seen; /* the run whose places later runs are steered by */
    uint32_t instance_count;
    bool is_over;
    bool is_cut;           /* the budget ended */
    bool has_long_runs;    /* whose order was not computed */
    char order_words[300]; /* a step that orders a pair of its events; "": none is known */
};

static uint32_t events_of(const struct confirming *c, size_t step)
{
    return finding_places_of(&c->places, &c->run.steps.at[step].operation);
}

static void conclude(struct confirming *c, enum finding_status status, const char *reason)
{
    c->result->status = status;
    (void)snprintf(c->result->reason, sizeof c->result->reason, "%s", reason);
}

static bool fails(const struct execution *x)
{
    return outcome_is_violation(x->outcome) && !outcome_is_cut(x->outcome, x->severity);
}

/* Races */

/* Keeps the result of an instance, if it is more harmful than the one before. */
static void keep_orders(struct confirming *c, struct race_orders *orders)
{
    struct race_orders *best = &c->result->orders;
    c->result->run_count += orders->run_count;
    orders->run_count += best->run_count;
    if (!orders->is_shown || (best->is_shown && orders->harm != HARM_HARMFUL)) {
        best->run_count = orders->run_count;
        /* One order of values that differ is enough to doubt that the race is benign. */
        if (orders->is_shown && orders->harm == HARM_UNKNOWN && best->harm == HARM_BENIGN) {
            best->harm = HARM_UNKNOWN;
            (void)snprintf(best->reason, sizeof best->reason, "%s", orders->reason);
        }
        race_orders_release(orders);
        return;
    }
    race_orders_release(best);
    *best = *orders;
    conclude(c, STATUS_CONFIRMED, "the two stand side by side in a run, in either order");
    c->is_over = best->harm == HARM_HARMFUL;
}

static bool is_spent(struct confirming *c)
{
    c->is_cut = c->is_cut || limit_is_spent(c->o->limit, c->result->run_count);
    return c->is_cut;
}

static bool has_pair(const struct confirming *c)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < c->run.steps.count; i++) {
        seen |= events_of(c, i);
    }
    return (seen & 3) == 3;
}

/* Notes how a pair of the events is ordered in this run, for users: the first step that follows the
 * first and precedes the second, and is of another task than the one before. */
static void note_order(struct confirming *c)
{
    for (size_t k = 0; k < c->run.steps.count && c->order_words[0] == '\0'; k++) {
        for (size_t i = 0; i < k && c->order_words[0] == '\0'; i++) {
            const uint32_t task = c->run.steps.at[i].operation.task;
            if (task == c->run.steps.at[k].operation.task ||
                !finding_is_pair(&c->places, &c->run, i, k) ||
                !relation_is_before(&c->relation, i, k)) {
                continue;
            }
            for (size_t j = i + 1; j < k; j++) {
                const bool is_between = c->run.steps.at[j].operation.task != task &&
                                        relation_is_before(&c->relation, i, j) &&
                                        relation_is_before(&c->relation, j, k);
                struct arena arena = {0};
                struct world_step words;
                if (is_between && c->world->ops->show_step != NULL &&
                    c->world->ops->show_step(c->world, j, &arena, &words)) {
                    (void)snprintf(c->order_words, sizeof c->order_words,
                                   "%.60s %.60s at %.60s comes between them in the first run",
                                   words.task, words.operation, words.location);
                }
                arena_release(&arena);
                if (is_between) {
                    break;
                }
            }
        }
    }
}

static int try_races(struct confirming *c, const struct plan *plan, struct err *e)
{
    if (!has_pair(c)) {
        return 0;
    }
    if (c->run.steps.count > FINDING_ORDER_STEPS_MAX) {
        c->has_long_runs = true;
        return 0;
    }
    relation_build(&c->relation, &c->run, 0);
    note_order(c);
    vec_each (&c->relation.races, race) {
        if (!finding_is_pair(&c->places, &c->run, race->first, race->second) || c->is_over ||
            is_spent(c) || c->instance_count >= INSTANCES_MAX) {
            continue;
        }
        struct race_orders orders = {0};
        if (race_orders_run(c->world, plan, &c->run, &c->relation, *race, &orders, e) < 0) {
            race_orders_release(&orders);
            return -1;
        }
        c->instance_count += orders.is_shown;
        keep_orders(c, &orders);
    }
    c->is_over = c->is_over || c->instance_count >= INSTANCES_MAX;
    return 0;
}

/* Deadlocks and atomicity violations: the run itself shows them */

static void keep_run(struct confirming *c, const struct plan *plan, size_t shown_steps,
                     const char *reason)
{
    struct race_orders *o = &c->result->orders;
    const bool has_failed = fails(&c->run);
    if (o->is_shown && !has_failed) {
        return;
    }
    race_orders_release(o);
    o->is_shown = true;
    o->schedules[0] = race_schedule_text(c->world, plan, &c->run);
    o->shown_steps = (uint32_t)shown_steps;
    (void)snprintf(o->reason, sizeof o->reason, "%s",
                   has_failed ? "the run that shows it fails"
                              : "no run that shows it has failed so far");
    if (has_failed) {
        race_orders_blame(o, &c->run);
    }
    conclude(c, STATUS_CONFIRMED, reason);
    c->is_over = has_failed;
}

static void try_deadlock(struct confirming *c, const struct plan *plan)
{
    if (finding_is_deadlock(c->finding, &c->run)) {
        keep_run(c, plan, c->run.steps.count,
                 "a run ends with the tasks waiting for each other at these places");
    }
}

static void try_atomicity(struct confirming *c, const struct plan *plan)
{
    const struct finding_instance at = finding_interrupted(c->finding, &c->places, &c->run);
    if (at.is_shown) {
        keep_run(c, plan, at.steps[1] + 1,
                 "in a run, the other task's access comes between the two");
    }
}

/* Runs */

static int look(struct confirming *c, const struct plan *plan, struct err *e)
{
    if (finding_is_race(c->finding)) {
        return try_races(c, plan, e);
    }
    if (c->finding->kind == FINDING_DEADLOCK) {
        try_deadlock(c, plan);
    } else {
        try_atomicity(c, plan);
    }
    return 0;
}

static void copy_steps(struct execution *to, const struct execution *from)
{
    vec_clear(&to->steps);
    vec_each (&from->steps, step) {
        vec_push(&to->steps, *step);
    }
}

/* Makes one run, learns its places and looks whether it shows the finding. */
static int run_plan(struct confirming *c, const struct plan *p, struct err *e)
{
    struct trace trace;
    struct plan plan = *p;
    trace_init(&trace);
    plan.trace = &trace;
    plan.trace_steps_max = FINDING_TRACE_STEPS_MAX;
    int result = world_run(c->world, &plan, &c->run, e);
    c->result->run_count++;
    if (result == 0 && c->run.event_steps.count > 0) {
        trace_seal(&trace);
        const uint32_t before = c->places.reached;
        finding_places_learn(&c->places, c->finding, &trace, &c->run);
        if (c->places.reached != before || c->seen.steps.count == 0) {
            copy_steps(&c->seen, &c->run);
        }
    }
    trace_release(&trace);
    return result < 0 ? -1 : look(c, p, e);
}

/* Adds wishes to a plan. Of a race, one of its places waits, or both do; of a deadlock, requests of
 * locks wait; an atomic block is held open for the other task. */
static size_t wish(const struct confirming *c, uint64_t number, struct pick_wish *wishes)
{
    const struct pick_operation *of_event[FINDING_EVENTS_MAX] = {NULL};
    for (size_t i = 0; i < c->seen.steps.count; i++) {
        const struct pick_operation *o = &c->seen.steps.at[i].operation;
        const uint32_t events = finding_places_of(&c->places, o);
        for (size_t k = 0; k < FINDING_EVENTS_MAX; k++) {
            of_event[k] = (events >> k & 1) != 0 ? o : of_event[k];
        }
    }
    size_t count = 0;
    const bool is_deadlock = c->finding->kind == FINDING_DEADLOCK;
    const size_t end = finding_is_atomicity(c->finding) ? finding_last_local(c->finding) : 0;
    if (end > 0 && of_event[0] != NULL && of_event[end] != NULL) {
        wishes[count++] = (struct pick_wish){
            .kind = PICK_EARLY, .first = of_event[0]->name, .operation = *of_event[0]};
        wishes[count++] = (struct pick_wish){
            .kind = PICK_BETWEEN, .first = of_event[0]->name, .second = of_event[end]->place};
        return count;
    }
    for (size_t k = is_deadlock ? 1 : 0; k < FINDING_EVENTS_MAX && count < AIM_WISHES_MAX;
         k += is_deadlock ? 2 : 1) {
        const bool is_wanted = is_deadlock || k < 2;
        const bool is_skipped = !is_deadlock && number % 3 != 2 && k == number % 3;
        if (of_event[k] != NULL && is_wanted && !is_skipped) {
            wishes[count++] = (struct pick_wish){.kind = PICK_HOLD, .second = of_event[k]->place};
        }
    }
    return count;
}

/* The first run is the default; later ones hold the places of the finding. */
static int steer(struct confirming *c, const struct search_options *options, struct err *e)
{
    for (uint64_t i = 0; i < STEERED_RUNS && !c->is_over && !is_spent(c); i++) {
        struct pick_wish wishes[AIM_WISHES_MAX];
        struct plan plan = search_plan(options);
        plan.pick.seed = i == 0 ? c->o->seed : name_join(c->o->seed, i);
        plan.pick.strategy = i == 0 ? PICK_FIRST : i % 2 == 0 ? PICK_SURW : PICK_POS;
        plan.pick.wishes = wishes;
        plan.pick.wish_count = i == 0 ? 0 : wish(c, i, wishes);
        if (run_plan(c, &plan, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The verdict of a finished search that did not show the finding. */
static void conclude_search(struct confirming *c, const struct search *s)
{
    const char *doubt = c->o->doubt(c->o->context);
    if (doubt == NULL && s->has_data_races) {
        doubt = "the program has other data races, so its memory need not be sequentially "
                "consistent";
    }
    char reason[400];
    if (!finding_is_race(c->finding)) {
        conclude(c, STATUS_UNKNOWN,
                 "all executions were seen up to the order of independent steps, and none shows "
                 "it; clew refutes races alone");
    } else if ((c->places.reached & 3) != 3) {
        conclude(c, STATUS_UNKNOWN,
                 "no run of a finished search reaches both places: the program or its input is "
                 "not that of the trace");
    } else if (doubt != NULL || c->has_long_runs) {
        (void)snprintf(reason, sizeof reason,
                       "a finished search did not show it, but is not conclusive: %.300s",
                       doubt != NULL ? doubt : "some runs are too long for their order");
        conclude(c, STATUS_UNKNOWN, reason);
    } else {
        (void)snprintf(reason, sizeof reason, "in every execution something orders the two%s%s",
                       c->order_words[0] == '\0' ? "" : ": ", c->order_words);
        conclude(c, STATUS_REFUTED, reason);
    }
}

static int search(struct confirming *c, const struct search_options *options, struct err *e)
{
    struct search *s = search_dpor(options);
    struct plan plan;
    int result = 0;
    bool has_more = true;
    for (uint64_t i = 0; result == 0 && !c->is_over && !is_spent(c); i++) {
        has_more = s->ops->next(s, i, &plan);
        if (!has_more) {
            break;
        }
        result = run_plan(c, &plan, e);
        if (result == 0) {
            search_count(s, &c->run);
            s->ops->learn(s, &plan, &c->run);
        }
    }
    if (result == 0 && !has_more && s->ops->is_complete(s) &&
        c->result->status != STATUS_CONFIRMED) {
        conclude_search(c, s);
    }
    s->ops->free(s);
    return result;
}

static void explain_unknown(struct confirming *c)
{
    const char *location = "";
    for (size_t i = c->finding->event_count; i-- > 0;) {
        const bool is_missing = i < 2 && (c->places.reached >> i & 1) == 0;
        location = is_missing ? c->finding->events[i].location : location;
    }
    if (location[0] != '\0') {
        (void)snprintf(c->result->reason, sizeof c->result->reason,
                       "no run of %llu reached %.100s in the same kind of access",
                       (unsigned long long)c->result->run_count, location);
    } else {
        (void)snprintf(c->result->reason, sizeof c->result->reason,
                       "none of %llu runs shows it; the budget ended (raise --budget)",
                       (unsigned long long)c->result->run_count);
    }
}

int confirm_finding(struct world *w, const struct finding *f, const struct confirm_options *o,
                    struct confirmation *result, struct err *e)
{
    struct confirming c = {.world = w, .finding = f, .o = o, .result = result};
    const struct search_options options = {.depth = o->depth,
                                           .has_tasks = w->has_tasks,
                                           .scope = w->scope,
                                           .order = w->order,
                                           .check_every = w->check_every,
                                           .seed = o->seed};
    must(result->run_count == 0);
    result->status = STATUS_UNKNOWN;
    if (!finding_is_race(f) && !finding_is_atomicity(f) && f->kind != FINDING_DEADLOCK) {
        conclude(&c, STATUS_UNKNOWN,
                 "clew confirms data races, uses after free, deadlocks of locks and atomicity "
                 "violations");
        return 0;
    }
    if (f->event_count < 2) {
        conclude(&c, STATUS_UNKNOWN, "the finding has no events");
        return 0;
    }
    int status = steer(&c, &options, e);
    if (status == 0 && result->status != STATUS_CONFIRMED) {
        status = search(&c, &options, e);
    }
    if (status == 0 && result->reason[0] == '\0') {
        explain_unknown(&c);
    }
    finding_places_release(&c.places);
    relation_release(&c.relation);
    execution_release(&c.run);
    execution_release(&c.seen);
    return status;
}

void confirmation_release(struct confirmation *c)
{
    race_orders_release(&c->orders);
}
