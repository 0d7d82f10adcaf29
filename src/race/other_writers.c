#include "race/other_writers.h"

#include "base/map.h"
#include "base/vec.h"
#include "order/object_key.h"
#include "trace/kind_table.h"
#include "wire/must.h"

#define NONE UINT32_MAX

enum { VISITS_MAX = 50000000 }; /* of events, by all searches together */

/* Writes of one variable that may change places: equal ones, or updates that commute. */
struct group {
    bool is_of_updates;
    int64_t value;        /* of equal writes */
    uint32_t first, last; /* members */
};

struct member {
    event_id write;
    uint32_t next; /* of the group; NONE: the last */
};

struct reading {
    event_id read;
    uint32_t group, last; /* member that the read sees */
};

struct finding {
    const struct trace *t;
    uint32_t *writer; /* per name: the task that wrote it, plus one; NONE: several */
    struct map group_of;
    VEC(struct group) groups;
    VEC(struct member) members;
    VEC(struct reading) readings;
    uint64_t visits;
    bool *is_reached; /* per task */
    struct map reached;
};

static bool is_write(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

/* A write whose value does not depend on the one before. */
static bool is_equal_write(const struct event *e)
{
    const bool is_store = e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE ||
                          (e->kind == EVENT_ATOMIC_RMW && event_is_blind(e));
    return is_store && !event_is_update(e) && (e->has & HAS_VALUE) != 0;
}

static bool is_member(const struct event *e)
{
    return event_is_update(e) || is_equal_write(e);
}

static bool is_read(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_LOAD || (e->kind == EVENT_READ && !event_is_blind(e));
}

/* ---- variables ---- */

static bool find_variables(struct finding *f)
{
    bool is_any = false;
    trace_each (f->t, e) {
        if (is_write(e) && is_member(e)) {
            uint32_t *writer = &f->writer[e->object];
            *writer = *writer == 0 || *writer == e->task + 1 ? e->task + 1 : NONE;
            is_any |= *writer == NONE;
        }
    }
    return is_any;
}

static bool belongs(const struct finding *f, const struct group *g, const struct event *e)
{
    const struct event *last = trace_at(f->t, f->members.at[g->last].write);
    return g->is_of_updates ? event_is_update(e) && event_updates_commute(last, e)
                            : !event_is_update(e) && g->value == e->value && last->size == e->size;
}

static void take_write(struct finding *f, uint32_t *current, event_id id)
{
    const struct event *e = trace_at(f->t, id);
    const uint32_t number = (uint32_t)f->members.count;
    if (!is_member(e)) {
        *current = NONE;
        return;
    }
    vec_push(&f->members, (struct member){.write = id, .next = NONE});
    if (*current != NONE && belongs(f, &f->groups.at[*current], e)) {
        struct group *g = &f->groups.at[*current];
        f->members.at[g->last].next = number;
        g->last = number;
        return;
    }
    *current = (uint32_t)f->groups.count;
    vec_push(&f->groups, (struct group){.is_of_updates = event_is_update(e),
                                        .value = e->value,
                                        .first = number,
                                        .last = number});
}

static void find_groups(struct finding *f)
{
    for (event_id id = 0; id < f->t->events.count; id++) {
        const struct event *e = trace_at(f->t, id);
        if ((!is_write(e) && !is_read(e)) || f->writer[e->object] != NONE) {
            continue;
        }
        uint32_t *current = map_slot(&f->group_of, scope_name(f->t, e, e->object), NONE, NULL);
        if (is_write(e)) {
            take_write(f, current, id);
            continue;
        }
        const struct group *g = *current == NONE ? NULL : &f->groups.at[*current];
        const bool is_other_value = g != NULL && !g->is_of_updates && (e->has & HAS_VALUE) != 0 &&
                                    e->value != g->value; /* an atomic load of an older value */
        if (g != NULL && !is_other_value) {
            vec_push(&f->readings,
                     (struct reading){.read = id, .group = *current, .last = g->last});
        }
    }
}

/* ---- what a read leads to ---- */

static uint64_t object_of(const struct finding *f, const struct event *e)
{
    return event_class(e) == CLASS_NET ? map_pair(SCOPE_WHOLE_TRACE, e->object)
                                       : scope_name(f->t, e, e->object);
}

static void pass_on(struct finding *f, const struct event *e)
{
    switch (e->kind) {
    case EVENT_THREAD_CREATE:
    case EVENT_PROCESS_FORK:
        if ((e->has & HAS_PEER) != 0) {
            f->is_reached[e->peer] = true;
        }
        return;
    case EVENT_WRITE:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
    case EVENT_SEM_POST:
    case EVENT_SEND:
    case EVENT_CONNECT:
    case EVENT_CLOSE:
    case EVENT_SHUTDOWN:
    case EVENT_BARRIER_ENTER:
    case EVENT_ONCE:
    case EVENT_HAPPENS_BEFORE: map_put(&f->reached, object_of(f, e), 1); return;
    default: return;
    }
}

static bool is_told(const struct finding *f, const struct event *e)
{
    switch (e->kind) {
    case EVENT_THREAD_JOIN: return (e->has & HAS_PEER) != 0 && f->is_reached[e->peer];
    case EVENT_READ:
    case EVENT_ATOMIC_RMW: return !event_is_blind(e) && map_get(&f->reached, object_of(f, e));
    case EVENT_ATOMIC_LOAD:
    case EVENT_SEM_WAIT:
    case EVENT_RECV:
    case EVENT_ACCEPT:
    case EVENT_BARRIER_EXIT:
    case EVENT_ONCE:
    case EVENT_HAPPENS_AFTER: return map_get(&f->reached, object_of(f, e)) != NULL;
    default: return false;
    }
}

/* The later event comes only because of the read, as far as tasks and values tell. */
static bool leads_to(struct finding *f, event_id read, event_id later)
{
    for (size_t i = 0; i < f->t->tables.tasks.count; i++) {
        f->is_reached[i] = false;
    }
    map_clear(&f->reached);
    f->is_reached[trace_at(f->t, read)->task] = true;
    for (event_id id = read + 1; id < later && f->visits < VISITS_MAX; id++) {
        const struct event *e = trace_at(f->t, id);
        bool *is_reached = &f->is_reached[e->task];
        f->visits++;
        *is_reached = *is_reached || is_told(f, e);
        if (*is_reached) {
            pass_on(f, e);
        }
    }
    return f->is_reached[trace_at(f->t, later)->task];
}

/* ---- deciding ---- */

static uint32_t task_of(const struct finding *f, uint32_t member)
{
    return trace_at(f->t, f->members.at[member].write)->task;
}

static bool could_be_another(struct finding *f, const struct reading *r)
{
    enum { LATER_MAX = 16 };
    const struct group *g = &f->groups.at[r->group];
    const uint32_t task = task_of(f, r->last);
    bool has_others = false; /* among the writes up to the one that the read sees */
    for (uint32_t m = g->first; m != r->last; m = f->members.at[m].next) {
        has_others |= task_of(f, m) != task;
    }
    if (has_others && !g->is_of_updates) {
        return true;
    }
    uint32_t tries = 0;
    for (uint32_t m = f->members.at[r->last].next; m != NONE && tries < LATER_MAX;
         m = f->members.at[m].next) {
        if (has_others || task_of(f, m) != task) {
            tries++;
            if (!leads_to(f, r->read, f->members.at[m].write)) {
                return true;
            }
        }
    }
    return false;
}

struct bits other_writers_find(const struct trace *t, struct arena *a, size_t *count)
{
    const struct bits found = bits_take(a, t->events.count + 1);
    struct finding f = {.t = t};
    must(t->is_sealed);
    f.writer = arena_array(a, uint32_t, t->tables.names.list.count + 1);
    f.is_reached = arena_array(a, bool, t->tables.tasks.count + 1);
    *count = 0;
    if (find_variables(&f)) {
        find_groups(&f);
    }
    vec_each (&f.readings, r) {
        if (could_be_another(&f, r)) {
            bits_add(found, r->read);
            (*count)++;
        }
    }
    must(*count <= t->events.count);
    map_release(&f.group_of);
    map_release(&f.reached);
    vec_release(&f.groups);
    vec_release(&f.members);
    vec_release(&f.readings);
    return found;
}
