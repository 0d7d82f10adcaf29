#include "race/witness/witness_facts.h"
#include "trace/kind_table.h"

/* A one-time initialization: the ONCE_BEGIN and the ONCE of the task that ran its routine. */
struct routine {
    uint64_t key;
    event_id begin, end; /* EVENT_NONE: not there */
    uint32_t begin_count;
    event_id first; /* the first ONCE of the object, of any task */
    uint32_t number;
};

typedef VEC(struct routine) routine_list;

static bool is_call(const struct event *e)
{
    return e->kind == EVENT_ONCE || e->kind == EVENT_ONCE_BEGIN;
}

static bool is_of(const struct facts *f, const struct routine *r, event_id id)
{
    const struct event *e = trace_at(f->t, id);
    return is_call(e) && facts_scoped(f->t, e, e->object) == r->key;
}

static bool is_inside(const struct facts *f, const struct routine *r, event_id id)
{
    return id > r->begin && id < r->end &&
           trace_at(f->t, id)->task == trace_at(f->t, r->begin)->task;
}

/* ---- when a task has called, and when it was created ---- */

static bool has_called(const struct facts *f, const struct routine *r, event_id before)
{
    const uint32_t task = trace_at(f->t, before)->task;
    for (event_id id = r->end; id < before; id++) {
        if (trace_at(f->t, id)->kind == EVENT_ONCE && trace_at(f->t, id)->task == task &&
            is_of(f, r, id)) {
            return true;
        }
    }
    return false;
}

static event_id creation_of(const struct facts *f, uint32_t task)
{
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if ((e->kind == EVENT_THREAD_CREATE || e->kind == EVENT_PROCESS_FORK) &&
            (e->has & HAS_PEER) != 0 && e->peer == task) {
            return id;
        }
    }
    return EVENT_NONE;
}

/* The task was created, by way of whomever, behind the event. */
static bool is_created_after(const struct facts *f, uint32_t task, event_id event)
{
    const uint32_t ancestor = trace_at(f->t, event)->task;
    for (size_t i = 0; i < f->t->tables.tasks.count; i++) {
        const event_id create = creation_of(f, task);
        if (create == EVENT_NONE) {
            return false;
        }
        task = trace_at(f->t, create)->task;
        if (task == ancestor) {
            return create > event;
        }
    }
    return false;
}

static bool is_before_all_calls(const struct facts *f, const struct routine *r, event_id event)
{
    for (event_id id = r->begin; id < f->count; id++) {
        const uint32_t task = trace_at(f->t, id)->task;
        if (trace_at(f->t, id)->kind == EVENT_ONCE && is_of(f, r, id) &&
            task != trace_at(f->t, event)->task && !is_created_after(f, task, event)) {
            return false;
        }
    }
    return true;
}

/* ---- whether another task could have run it ---- */

/* The effect of the routine on a variable, in a map by the variable's number. */
enum handling {
    HANDLING_READS = 1, /* before it writes */
    HANDLING_WRITES = 2,
};

static void read_handling(const struct facts *f, const struct routine *r, struct map *handling)
{
    for (event_id id = r->begin; id < r->end; id++) {
        const struct event *e = trace_at(f->t, id);
        if (!is_inside(f, r, id) || (!facts_event_reads(e) && !facts_event_writes(e))) {
            continue;
        }
        uint32_t *of = map_slot(handling, f->of[id].thing, 0, NULL);
        *of |= facts_event_reads(e) && (*of & HANDLING_WRITES) == 0 ? HANDLING_READS : 0;
        *of |= facts_event_writes(e) ? HANDLING_WRITES : 0;
    }
}

/* Whether the routine does the same with and without an access outside of it, whichever task runs
 * the routine. */
static bool leaves_alone(const struct facts *f, const struct routine *r, uint32_t handling,
                         event_id id)
{
    const struct event *e = trace_at(f->t, id);
    if (facts_event_reads(e) && (handling & HANDLING_WRITES) != 0 && id < r->end) {
        return false;
    }
    if (!facts_event_writes(e) || has_called(f, r, id)) {
        return true;
    }
    return id < r->begin && ((handling & HANDLING_READS) == 0 || is_before_all_calls(f, r, id));
}

/* Whether all accesses of others to variables of the routine leave it alone. */
static bool is_left_alone(const struct facts *f, const struct routine *r)
{
    struct map handling = {0};
    bool is_alone = true;
    read_handling(f, r, &handling);
    for (event_id id = 0; id < f->count && is_alone; id++) {
        const struct event *e = trace_at(f->t, id);
        if (is_inside(f, r, id) || (!facts_event_reads(e) && !facts_event_writes(e))) {
            continue;
        }
        const uint32_t *of = map_get(&handling, f->of[id].thing);
        is_alone = of == NULL || leaves_alone(f, r, *of, id);
    }
    map_release(&handling);
    return is_alone;
}

static bool has_other_caller(const struct facts *f, const struct routine *r)
{
    for (event_id id = r->end; id < f->count; id++) {
        if (is_of(f, r, id) && trace_at(f->t, id)->task != trace_at(f->t, r->end)->task) {
            return true;
        }
    }
    return false;
}

static bool stays_by_itself(const struct event *e)
{
    static const bool is_by_itself[CLASS_COUNT] = {
        [CLASS_ACCESS] = true,
        [CLASS_MEMORY] = true,
        [CLASS_REPORT] = true,
        [CLASS_REGION] = true,
    };
    return is_by_itself[event_class(e)] || e->kind == EVENT_ATOMIC_STORE;
}

static bool is_movable(const struct facts *f, const struct routine *r)
{
    if (r->begin_count != 1 || r->end == EVENT_NONE || r->first != r->end ||
        f->of[r->begin].handler != f->of[r->end].handler || !has_other_caller(f, r)) {
        return false;
    }
    for (event_id id = r->begin; id < r->end; id++) {
        if (is_inside(f, r, id) && !stays_by_itself(trace_at(f->t, id))) {
            return false;
        }
    }
    return is_left_alone(f, r);
}

/* ---- reading ---- */

static void note_call(struct facts *f, struct map *numbers, routine_list *routines, event_id id)
{
    const struct event *e = trace_at(f->t, id);
    const uint64_t key = facts_scoped(f->t, e, e->object);
    const uint32_t number = facts_number(numbers, key);
    if (number == routines->count) {
        vec_push(routines, (struct routine){.key = key,
                                            .begin = EVENT_NONE,
                                            .end = EVENT_NONE,
                                            .first = EVENT_NONE,
                                            .number = FACT_NONE});
    }
    must(number < routines->count);
    struct routine *r = &routines->at[number];
    f->of[id].thing = number;
    if (e->kind == EVENT_ONCE_BEGIN) {
        r->begin_count++;
        r->begin = id;
        return;
    }
    r->first = r->first == EVENT_NONE ? id : r->first;
    if (r->begin != EVENT_NONE && r->end == EVENT_NONE &&
        trace_at(f->t, r->begin)->task == e->task) {
        r->end = id;
    }
}

void facts_read_onces(struct facts *f)
{
    struct map numbers = {0};
    routine_list routines = {0};
    for (event_id id = 0; id < f->count; id++) {
        if (is_call(trace_at(f->t, id))) {
            note_call(f, &numbers, &routines, id);
        }
    }
    vec_each (&routines, r) {
        if (is_movable(f, r)) {
            r->number = f->once_count++;
        }
    }
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (!is_call(e)) {
            continue;
        }
        const struct routine *r = &routines.at[f->of[id].thing];
        f->of[id].thing = r->number;
        f->of[id].ends_once = r->end == id;
        if (e->kind == EVENT_ONCE && r->number == FACT_NONE && r->first != id) {
            facts_need(f, id, r->first);
        }
    }
    vec_release(&routines);
    map_release(&numbers);
}
