#include "race_rules_parts.h"

#include "trace/kind_table.h"

static bool is_call_of(const struct rules *r, event_id id, event_id like)
{
    const struct event *e = trace_at(r->t, id);
    const struct event *other = trace_at(r->t, like);
    return (e->kind == EVENT_ONCE || e->kind == EVENT_ONCE_BEGIN) &&
           rules_object(r->t, e, e->object) == rules_object(r->t, other, other->object);
}

static uint32_t task_of(const struct rules *r, event_id id)
{
    return trace_at(r->t, id)->task;
}

/* The only ONCE_BEGIN of the object, and the ONCE of its task that follows and is the object's
 * first, on the same chain. */
static bool find_routine(const struct rules *r, event_id like, struct rules_routine *routine)
{
    event_id begin = EVENT_NONE;
    event_id first = EVENT_NONE;
    for (event_id id = 0; id < r->count; id++) {
        if (!is_call_of(r, id, like)) {
            continue;
        }
        if (trace_at(r->t, id)->kind == EVENT_ONCE) {
            first = first == EVENT_NONE ? id : first;
        } else if (begin != EVENT_NONE) {
            return false;
        } else {
            begin = id;
        }
    }
    *routine = (struct rules_routine){.begin = begin, .end = first};
    return begin != EVENT_NONE && first != EVENT_NONE && begin < first &&
           task_of(r, begin) == task_of(r, first) && r->handler_of[begin] == r->handler_of[first];
}

static bool is_in(const struct rules *r, const struct rules_routine *routine, event_id id)
{
    return routine->begin < id && id < routine->end && task_of(r, id) == task_of(r, routine->begin);
}

static bool is_independent(const struct event *e)
{
    const enum event_class class = event_class(e);
    return class == CLASS_ACCESS || class == CLASS_MEMORY || class == CLASS_REPORT ||
           class == CLASS_REGION || e->kind == EVENT_ATOMIC_STORE;
}

static bool same_variable(const struct rules *r, event_id a, event_id b)
{
    const struct event *x = trace_at(r->t, a);
    const struct event *y = trace_at(r->t, b);
    return rules_event_accesses(x) && rules_event_accesses(y) &&
           rules_object(r->t, x, x->object) == rules_object(r->t, y, y->object);
}

static bool routine_writes(const struct rules *r, const struct rules_routine *routine,
                           event_id like, event_id end)
{
    for (event_id id = routine->begin; id < end; id++) {
        if (is_in(r, routine, id) && rules_event_writes(trace_at(r->t, id)) &&
            same_variable(r, id, like)) {
            return true;
        }
    }
    return false;
}

/* It reads the value that the variable of `like` had before it. */
static bool routine_reads(const struct rules *r, const struct rules_routine *routine, event_id like)
{
    for (event_id id = routine->begin; id < routine->end; id++) {
        if (is_in(r, routine, id) && rules_event_reads(trace_at(r->t, id)) &&
            same_variable(r, id, like) && !routine_writes(r, routine, like, id)) {
            return true;
        }
    }
    return false;
}

static bool has_called(const struct rules *r, const struct rules_routine *routine, event_id before)
{
    for (event_id id = 0; id < before; id++) {
        if (trace_at(r->t, id)->kind == EVENT_ONCE && is_call_of(r, id, routine->begin) &&
            task_of(r, id) == task_of(r, before)) {
            return true;
        }
    }
    return false;
}

/* The first creation of the task, EVENT_NONE. */
static event_id creation_of(const struct rules *r, uint32_t task)
{
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if ((e->kind == EVENT_THREAD_CREATE || e->kind == EVENT_PROCESS_FORK) &&
            (e->has & HAS_PEER) != 0 && e->peer == task) {
            return id;
        }
    }
    return EVENT_NONE;
}

/* The nearest creation by the task of `write` among those that led to the task is after it. */
static bool is_created_after(const struct rules *r, uint32_t task, event_id write)
{
    event_id create = creation_of(r, task);
    for (size_t i = 0; i < r->t->tables.tasks.count && create != EVENT_NONE; i++) {
        if (task_of(r, create) == task_of(r, write)) {
            return create > write;
        }
        create = creation_of(r, task_of(r, create));
    }
    return false;
}

static bool is_before_all_calls(const struct rules *r, const struct rules_routine *routine,
                                event_id write)
{
    for (event_id id = 0; id < r->count; id++) {
        if (trace_at(r->t, id)->kind == EVENT_ONCE && is_call_of(r, id, routine->begin) &&
            task_of(r, id) != task_of(r, write) && !is_created_after(r, task_of(r, id), write)) {
            return false;
        }
    }
    return true;
}

static bool is_movable(const struct rules *r, const struct rules_routine *routine)
{
    bool has_other_caller = false;
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (is_in(r, routine, id)) {
            if (!is_independent(e)) {
                return false;
            }
            continue;
        }
        has_other_caller |= e->kind == EVENT_ONCE && is_call_of(r, id, routine->begin) &&
                            task_of(r, id) != task_of(r, routine->begin);
        if (!rules_event_reads(e) && !rules_event_writes(e)) {
            continue;
        }
        const bool writes = routine_writes(r, routine, id, routine->end);
        const bool reads = routine_reads(r, routine, id);
        if (rules_event_reads(e) && writes && id < routine->end) {
            return false;
        }
        const bool is_early =
            id < routine->begin && (!reads || is_before_all_calls(r, routine, id));
        if (rules_event_writes(e) && (reads || writes) && !has_called(r, routine, id) &&
            !is_early) {
            return false;
        }
    }
    return has_other_caller;
}

static void read_object(struct rules *r, const struct rules_routine *routine)
{
    const struct event *begin = trace_at(r->t, routine->begin);
    const uint64_t lock = ~(rules_object(r->t, begin, begin->object) ^ UINT64_C(1) << 62);
    struct rules_section own = {
        .task = begin->task, .lock = lock, .first = routine->begin, .last = routine->end};
    vec_push(&r->routines, *routine);
    vec_push(&r->sections, own);
    for (event_id id = routine->end + 1; id < r->count; id++) {
        if (trace_at(r->t, id)->kind != EVENT_ONCE || !is_call_of(r, id, routine->begin)) {
            continue;
        }
        struct rules_section pass = {
            .task = task_of(r, id), .lock = lock, .first = id, .last = id, .is_shared = true};
        vec_push(&r->sections, pass);
        rules_edge_add(&r->lined_up, routine->begin, id);
        rules_edge_add(&r->observed, routine->end, id);
    }
}

void rules_read_onces(struct rules *r)
{
    for (event_id id = 0; id < r->count; id++) {
        struct rules_routine routine;
        const uint16_t kind = trace_at(r->t, id)->kind;
        if (kind == EVENT_ONCE_BEGIN && !r->fixes_onces && find_routine(r, id, &routine) &&
            is_movable(r, &routine)) {
            read_object(r, &routine);
        } else if (kind == EVENT_ONCE) {
            event_id first = 0;
            while (trace_at(r->t, first)->kind != EVENT_ONCE || !is_call_of(r, first, id)) {
                first++;
            }
            if (r->fixes_onces || !find_routine(r, id, &routine) || !is_movable(r, &routine)) {
                rules_edge_add(&r->cross, first, id);
            }
        }
    }
}

bool rules_is_about_routine(const struct rules *r, struct rules_pair pair)
{
    vec_each (&r->routines, routine) {
        if (is_in(r, routine, pair.a) || is_in(r, routine, pair.b)) {
            return true;
        }
    }
    return false;
}
