#include "hunt/finding_instance.h"

#include <string.h>

#include "explore/step_order.h"

bool finding_is_race(const struct finding *f)
{
    return f->kind == FINDING_DATA_RACE || f->kind == FINDING_USE_AFTER_FREE;
}

bool finding_is_atomicity(const struct finding *f)
{
    return f->kind == FINDING_ATOMICITY_SINGLE || f->kind == FINDING_ATOMICITY_PAIR ||
           f->kind == FINDING_ATOMICITY_MERGED || f->kind == FINDING_LOST_UPDATE ||
           f->kind == FINDING_STALE_READ;
}

static uint32_t events_of(const struct finding_places *p, const struct execution *x, size_t step)
{
    return finding_places_of(p, &x->steps.at[step].operation);
}

/* Races */

bool finding_is_pair(const struct finding_places *p, const struct execution *x, size_t first,
                     size_t second)
{
    must(first != second);
    const uint32_t a = events_of(p, x, first);
    const uint32_t b = events_of(p, x, second);
    return ((a & 1) != 0 && (b & 2) != 0) || ((a & 2) != 0 && (b & 1) != 0);
}

static struct finding_instance instance_at(size_t first, size_t second)
{
    must(first < second);
    return (struct finding_instance){true, {(uint32_t)first, (uint32_t)second}, 2};
}

static struct finding_instance find_race(const struct finding_places *p, const struct execution *x)
{
    struct relation relation = {0};
    struct finding_instance at = {0};
    relation_build(&relation, x, 0);
    vec_each (&relation.races, race) {
        if (!at.is_shown && finding_is_pair(p, x, race->first, race->second)) {
            at = instance_at(race->first, race->second);
        }
    }
    relation_release(&relation);
    return at;
}

/* Of a long run: two accesses that conflict. */
static struct finding_instance find_conflict(const struct finding_places *p,
                                             const struct execution *x)
{
    for (size_t k = 0; k < x->steps.count; k++) {
        for (size_t i = k; events_of(p, x, k) != 0 && i-- > 0;) {
            const struct pick_operation *a = &x->steps.at[i].operation;
            const struct pick_operation *b = &x->steps.at[k].operation;
            if (a->task != b->task && finding_is_pair(p, x, i, k) && pick_conflicts(a, b)) {
                return instance_at(i, k);
            }
        }
    }
    return (struct finding_instance){0};
}

/* Deadlocks */

/* The tasks wait at the places where the finding has them ask: its events 1, 3 ... */
bool finding_is_deadlock(const struct finding *f, const struct execution *x)
{
    bool is_shown = x->outcome == OUTCOME_DEADLOCK;
    for (size_t i = 1; i < f->event_count && is_shown; i += 2) {
        const char *location = f->events[i].location;
        const char *at = location[0] == '\0' ? NULL : strstr(x->what, location);
        const char next = at == NULL ? '\0' : at[strlen(location)];
        is_shown = at != NULL && (next < '0' || next > '9');
    }
    return is_shown;
}

/* Atomicity violations */

static bool is_local(const struct finding *f, size_t event)
{
    return strcmp(f->events[event].task, f->events[0].task) == 0 &&
           strcmp(f->events[event].node, f->events[0].node) == 0;
}

size_t finding_last_local(const struct finding *f)
{
    size_t last = 0;
    for (size_t i = 1; i < f->event_count && i < FINDING_EVENTS_MAX; i++) {
        last = is_local(f, i) ? i : last;
    }
    return last;
}

/* First accesses that are tried for a last one: a condition is read again after a wait. */
enum { BEGINS_MAX = 4 };

/* Whether between steps `first` and `last` of one task, every event of others has a step that
 * conflicts with one of the two. */
static bool is_interrupted(const struct finding *f, const struct finding_places *p,
                           const struct execution *x, size_t first, size_t last)
{
    const struct pick_operation *a = &x->steps.at[first].operation;
    const struct pick_operation *b = &x->steps.at[last].operation;
    uint32_t wanted = 0;
    uint32_t seen = 0;
    must(first < last);
    must(a->task == b->task);
    for (size_t i = 0; i < f->event_count && i < FINDING_EVENTS_MAX; i++) {
        wanted |= is_local(f, i) ? 0 : UINT32_C(1) << i;
    }
    for (size_t i = first + 1; i < last; i++) {
        const struct pick_operation *o = &x->steps.at[i].operation;
        if (o->task != a->task && (pick_conflicts(a, o) || pick_conflicts(o, b))) {
            seen |= events_of(p, x, i);
        }
    }
    return wanted != 0 && (seen & wanted) == wanted;
}

struct finding_instance finding_interrupted(const struct finding *f, const struct finding_places *p,
                                            const struct execution *x)
{
    const size_t end = finding_last_local(f);
    must(end < FINDING_EVENTS_MAX);
    for (size_t last = 0; last < x->steps.count && end > 0; last++) {
        if ((events_of(p, x, last) >> end & 1) == 0) {
            continue;
        }
        const uint32_t task = x->steps.at[last].operation.task;
        uint32_t begins = 0;
        for (size_t first = last; first-- > 0 && begins < BEGINS_MAX;) {
            const bool is_first =
                x->steps.at[first].operation.task == task && (events_of(p, x, first) & 1) != 0;
            begins += is_first;
            if (is_first && is_interrupted(f, p, x, first, last)) {
                return instance_at(first, last);
            }
        }
    }
    return (struct finding_instance){0};
}

/* A run */

int finding_instance_find(struct world *w, const struct finding *f, const struct plan *p,
                          struct finding_instance *at, struct err *e)
{
    struct trace trace;
    struct execution x = {0};
    struct finding_places places = {0};
    struct plan plan = *p;
    *at = (struct finding_instance){0};
    trace_init(&trace);
    plan.trace = &trace;
    plan.trace_steps_max = FINDING_TRACE_STEPS_MAX;
    const int result = world_run(w, &plan, &x, e);
    if (result == 0 && x.event_steps.count > 0) {
        trace_seal(&trace);
        finding_places_learn(&places, f, &trace, &x);
    }
    if (result == 0 && f->kind == FINDING_DEADLOCK) {
        at->is_shown = finding_is_deadlock(f, &x);
    } else if (result == 0 && finding_is_atomicity(f)) {
        *at = finding_interrupted(f, &places, &x);
    } else if (result == 0 && finding_is_race(f)) {
        *at = x.steps.count > FINDING_ORDER_STEPS_MAX ? find_conflict(&places, &x)
                                                      : find_race(&places, &x);
    }
    finding_places_release(&places);
    execution_release(&x);
    trace_release(&trace);
    return result;
}
