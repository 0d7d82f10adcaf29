#include "atomicity/unordered.h"

#include "trace/kind_table.h"

/* ---- orders of the variable ---- */

/* The last accesses of a task to a variable. */
struct last {
    uint32_t access[2]; /* a read, a write; ACCESS_NONE: none */
};

static bool have_common_lock(const struct frame *f, uint32_t one, uint32_t other)
{
    const struct frame_span a = f->held_at[one];
    const struct frame_span b = f->held_at[other];
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            if (sections_exclude(&f->hb.sections.list[f->held[a.first + i]],
                                 &f->hb.sections.list[f->held[b.first + k]])) {
                return true;
            }
        }
    }
    return false;
}

/* Whether two conflicting accesses are ordered in `full` and not in f. */
static bool is_lost(const struct frame *f, const struct frame *full, uint32_t one, uint32_t other)
{
    const event_id a = f->variables.accesses.at[one].event;
    const event_id b = f->variables.accesses.at[other].event;
    return frame_is_before(full, a, b) && !frame_is_before(f, a, b) &&
           !have_common_lock(f, one, other);
}

static bool orders_in(const struct frame *f, const struct frame *full, const struct variable *v,
                      struct last *last)
{
    const uint32_t task_count = (uint32_t)f->trace->tables.tasks.count;
    for (uint32_t task = 0; task < task_count; task++) {
        last[task] = (struct last){{ACCESS_NONE, ACCESS_NONE}};
    }
    for (uint32_t i = v->first; i < v->first + v->count; i++) {
        const uint32_t number = f->variables.by_variable.at[i];
        const struct access *a = &f->variables.accesses.at[number];
        for (uint32_t task = 0; task < task_count; task++) {
            for (int is_write = a->is_write ? 0 : 1; task != a->task && is_write < 2; is_write++) {
                const uint32_t before = last[task].access[is_write];
                if (before != ACCESS_NONE && is_lost(f, full, before, number)) {
                    return true;
                }
            }
        }
        last[a->task].access[a->is_write] = number;
    }
    return false;
}

static bool orders_data(const struct frame *f, const struct frame *full)
{
    struct arena scratch = {0};
    struct last *last = arena_array(&scratch, struct last, f->trace->tables.tasks.count + 1);
    bool is_so = false;
    vec_each (&f->variables.list, v) {
        is_so = is_so || (!v->is_atomic && variable_is_shared(v) && orders_in(f, full, v, last));
    }
    arena_release(&scratch);
    return is_so;
}

bool unordered_build(struct frame *f, const struct frame *full, uint32_t variable)
{
    const struct variable *v = &full->variables.list.at[variable];
    must(v->is_atomic);
    struct notes notes = {0};
    struct err e = {0};
    const int built = frame_build_without(
        f, full->trace, &(struct frame_without){.node = v->node, .name = v->name}, &notes, &e);
    must(built == 0); /* as the whole could */
    notes_release(&notes);
    if (orders_data(f, full)) {
        frame_release(f);
        return false;
    }
    return true;
}

/* ---- values of its loads ---- */

static bool is_of(const struct frame *f, uint32_t variable, event_id id)
{
    const uint32_t access = f->access_of[id];
    return access != ACCESS_NONE && f->variables.accesses.at[access].variable == variable;
}

/* The variable's value before and after the event in the trace; false where the trace does not tell
 * it.
 */
static bool values_at(const struct frame *f, uint32_t variable, event_id id, int64_t values[2])
{
    const struct variable *v = &f->variables.list.at[variable];
    event_id before = EVENT_NONE;
    for (uint32_t i = v->first; i < v->first + v->count; i++) {
        const event_id at = f->variables.accesses.at[f->variables.by_variable.at[i]].event;
        before = at < id ? at : before;
    }
    const struct event *e = trace_at(f->trace, id);
    if ((e->has & HAS_VALUE) == 0 || before == EVENT_NONE ||
        (trace_at(f->trace, before)->has & HAS_VALUE) == 0) {
        return false;
    }
    values[0] = trace_at(f->trace, before)->value;
    values[1] = e->value;
    return true;
}

/* The variable's value before its first access, which that access has loaded. */
static bool first_value(const struct frame *f, uint32_t variable, int64_t *value)
{
    const struct variable *v = &f->variables.list.at[variable];
    const struct event *e =
        trace_at(f->trace, f->variables.accesses.at[f->variables.by_variable.at[v->first]].event);
    *value = e->value;
    return e->kind == EVENT_ATOMIC_LOAD && (e->has & HAS_VALUE) != 0;
}

static bool is_last_of_task(const struct frame *f, const event_id *events, size_t count, size_t at)
{
    for (size_t i = at + 1; i < count; i++) {
        if (trace_at(f->trace, events[i])->task == trace_at(f->trace, events[at])->task) {
            return false;
        }
    }
    return true;
}

bool unordered_keeps_tests(const struct frame *f, uint32_t variable, const event_id *events,
                           size_t count)
{
    int64_t now = 0;
    bool is_known = first_value(f, variable, &now);
    for (size_t i = 0; i < count; i++) {
        if (!is_of(f, variable, events[i])) {
            continue;
        }
        const struct event *e = trace_at(f->trace, events[i]);
        int64_t values[2] = {0};
        if (!f->variables.accesses.at[f->access_of[events[i]]].is_write) {
            if (is_known && (now == 0) != (e->value == 0) &&
                !is_last_of_task(f, events, count, i)) {
                return false;
            }
        } else if (e->kind == EVENT_ATOMIC_STORE) {
            is_known = (e->has & HAS_VALUE) != 0;
            now = e->value;
        } else if (values_at(f, variable, events[i], values)) {
            now = (int64_t)((uint64_t)now + (uint64_t)values[1] - (uint64_t)values[0]);
        } else {
            is_known = false;
        }
    }
    return true;
}
