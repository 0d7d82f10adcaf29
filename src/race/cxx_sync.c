#include "race/cxx_sync.h"

#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "order/object_key.h"
#include "trace/kind_table.h"
#include "wire/must.h"

enum sort { SORT_NONE, SORT_GUARD, SORT_SEMAPHORE };

struct variable {
    enum sort sort;
    bool is_odd;    /* used in another way, or with values that are not known */
    bool is_made;   /* guard: its initialization is complete */
    uint32_t maker; /* guard: the task that stored it */
    event_id begin; /* guard: where the maker's routine begins; EVENT_NONE: not found */
    event_id first; /* semaphore: an event that is no post and no wait; EVENT_NONE: none */
    bool has_value; /* semaphore: its value is known */
    int64_t value, initial;
};

struct replacing {
    const struct trace *t;
    struct map number_of;
    VEC(struct variable) variables;
    uint8_t *is_semaphore_text; /* per name */
    struct arena arena;
};

static bool is_atomic(const struct event *e)
{
    return event_class(e) == CLASS_ATOMIC;
}

/* ---- which variables ---- */

static bool is_guard(const struct replacing *r, const struct event *e)
{
    static const char prefix[] = "guard variable for ";
    return strncmp(trace_name(r->t, e->object), prefix, sizeof prefix - 1) == 0;
}

static bool is_in_semaphore(const struct replacing *r, uint32_t text)
{
    enum { UNKNOWN, NO, YES };
    uint8_t *known = &r->is_semaphore_text[text];
    if (*known == UNKNOWN) {
        const char *functions = trace_name(r->t, text);
        const bool is_it = strstr(functions, "semaphore_base.h:") != NULL ||
                           strstr(functions, "__atomic_semaphore") != NULL;
        *known = is_it ? YES : NO;
    }
    return *known == YES;
}

static struct variable *variable_of(struct replacing *r, const struct event *e)
{
    const uint32_t *number = map_get(&r->number_of, scope_name(r->t, e, e->object));
    return number == NULL ? NULL : &r->variables.at[*number];
}

static void find_variables(struct replacing *r)
{
    trace_each (r->t, e) {
        const enum sort sort = !is_atomic(e)                 ? SORT_NONE
                               : is_guard(r, e)              ? SORT_GUARD
                               : is_in_semaphore(r, e->text) ? SORT_SEMAPHORE
                                                             : SORT_NONE;
        bool is_new = false;
        if (sort != SORT_NONE) {
            (void)map_slot(&r->number_of, scope_name(r->t, e, e->object),
                           (uint32_t)r->variables.count, &is_new);
        }
        if (is_new) {
            vec_push(&r->variables, (struct variable){.sort = sort,
                                                      .maker = UINT32_MAX,
                                                      .begin = EVENT_NONE,
                                                      .first = EVENT_NONE});
        }
    }
}

/* ---- how they are used ---- */

static void take_guard(struct variable *v, const struct event *e)
{
    v->is_odd |= !is_atomic(e) || (e->has & HAS_VALUE) == 0 || e->kind == EVENT_ATOMIC_RMW;
    if (e->kind == EVENT_ATOMIC_STORE) {
        v->is_odd |= v->is_made || e->value == 0; /* made again, or given up */
        v->is_made = true;
        v->maker = e->task;
    }
}

/* The maker's last load before its store: behind it, the initialization is its to make. */
static void find_begins(struct replacing *r)
{
    vec_each (&r->variables, v) {
        v->is_made = false;
    }
    for (event_id id = 0; id < r->t->events.count; id++) {
        const struct event *e = trace_at(r->t, id);
        struct variable *v = is_atomic(e) ? variable_of(r, e) : NULL;
        if (v == NULL || v->sort != SORT_GUARD) {
            continue;
        }
        v->is_made |= e->kind == EVENT_ATOMIC_STORE;
        v->begin = !v->is_made && e->task == v->maker ? id : v->begin;
    }
}

static void take_semaphore(struct replacing *r, struct variable *v, event_id id)
{
    const struct event *e = trace_at(r->t, id);
    if (e->kind != EVENT_ATOMIC_RMW) {
        v->is_odd |= e->kind == EVENT_ATOMIC_STORE;
        v->first = v->first == EVENT_NONE ? id : v->first;
        return;
    }
    const bool is_post = strstr(trace_name(r->t, e->text), "_M_release") != NULL;
    const int64_t before = e->value - (is_post ? 1 : -1);
    v->is_odd |= (e->has & HAS_VALUE) == 0 || !is_in_semaphore(r, e->text) ||
                 (v->has_value && v->value != before);
    v->initial = v->has_value ? v->initial : before;
    v->value = e->value;
    v->has_value = true;
}

static void read_uses(struct replacing *r)
{
    for (event_id id = 0; id < r->t->events.count; id++) {
        const struct event *e = trace_at(r->t, id);
        const bool is_access = is_atomic(e) || event_class(e) == CLASS_ACCESS;
        struct variable *v = is_access ? variable_of(r, e) : NULL;
        if (v != NULL && v->sort == SORT_GUARD) {
            take_guard(v, e);
        } else if (v != NULL) {
            take_semaphore(r, v, id);
        }
    }
    find_begins(r);
}

/* Whether the variable is replaced. The initial count of a semaphore needs an event to stand in. */
static bool is_replaced(const struct variable *v)
{
    const bool is_known = v->sort == SORT_GUARD ? v->maker != UINT32_MAX && v->begin != EVENT_NONE
                                                : v->has_value && v->initial >= 0 &&
                                                      (v->initial == 0 || v->first != EVENT_NONE);
    return is_known && !v->is_odd;
}

/* ---- replacing ---- */

static struct event guard_event(const struct variable *v, const struct event *e, event_id id)
{
    struct event copy = *e;
    copy.mode = MODE_UNSAID;
    copy.kind = id == v->begin                                   ? EVENT_ONCE_BEGIN
                : e->kind == EVENT_ATOMIC_STORE || e->value != 0 ? EVENT_ONCE
                                                                 : EVENT_READY;
    return copy;
}

static struct event semaphore_event(const struct replacing *r, const struct variable *v,
                                    const struct event *e, event_id id)
{
    struct event copy = *e;
    copy.mode = MODE_UNSAID;
    if (e->kind == EVENT_ATOMIC_RMW) {
        const bool is_post = strstr(trace_name(r->t, e->text), "_M_release") != NULL;
        copy.kind = is_post ? EVENT_SEM_POST : EVENT_SEM_WAIT;
    } else if (id == v->first) {
        copy.kind = EVENT_SEM_INIT;
        copy.value = v->initial;
        copy.has |= HAS_VALUE;
    } else {
        copy.kind = EVENT_READY;
    }
    return copy;
}

static void replace(struct replacing *r, struct trace *replaced)
{
    *replaced = (struct trace){.tables = r->t->tables, .is_sealed = true};
    for (event_id id = 0; id < r->t->events.count; id++) {
        const struct event *e = trace_at(r->t, id);
        const bool is_access = is_atomic(e) || event_class(e) == CLASS_ACCESS;
        const struct variable *v = is_access ? variable_of(r, e) : NULL;
        const bool is_kept = v == NULL || !is_replaced(v);
        vec_push(&replaced->events, is_kept                 ? *e
                                    : v->sort == SORT_GUARD ? guard_event(v, e, id)
                                                            : semaphore_event(r, v, e, id));
    }
    must(replaced->events.count == r->t->events.count);
}

const struct trace *cxx_sync_replace(const struct trace *t, struct trace *replaced)
{
    struct replacing r = {.t = t};
    bool is_any = false;
    *replaced = (struct trace){0};
    must(t->is_sealed);
    r.is_semaphore_text = arena_array(&r.arena, uint8_t, t->tables.names.list.count + 1);
    find_variables(&r);
    if (r.variables.count > 0) {
        read_uses(&r);
    }
    vec_each (&r.variables, v) {
        is_any |= is_replaced(v);
    }
    if (is_any) {
        replace(&r, replaced);
    }
    map_release(&r.number_of);
    vec_release(&r.variables);
    arena_release(&r.arena);
    return is_any ? replaced : t;
}

void cxx_sync_release(struct trace *replaced)
{
    vec_release(&replaced->events);
}
