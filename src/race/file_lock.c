#include "race/file_lock.h"

#include "base/map.h"
#include "trace/kind.h"
#include "wire/kind.h"

/* Who uses a lock. */
struct use {
    uint32_t node, task;
    bool has_several_nodes, has_several_tasks;
};

typedef VEC(struct use) use_list;

static bool is_record_lock(const struct event *e)
{
    const uint8_t held = lock_mode_held(e->mode);
    return (e->kind == EVENT_LOCK || e->kind == EVENT_UNLOCK) &&
           (held == LOCK_FCNTL_READ || held == LOCK_FCNTL_WRITE);
}

static void read_uses(const struct trace *t, struct map *number_of, use_list *uses)
{
    trace_each (t, e) {
        if (!is_record_lock(e)) {
            continue;
        }
        bool is_new = false;
        const uint32_t number = *map_slot(number_of, e->object, (uint32_t)uses->count, &is_new);
        if (is_new) {
            vec_push(uses, (struct use){.node = trace_node_of(t, e), .task = e->task});
        }
        struct use *use = &uses->at[number];
        use->has_several_nodes |= use->node != trace_node_of(t, e);
        use->has_several_tasks |= use->task != e->task;
    }
}

static bool excludes_nobody(const struct use *use)
{
    return use->has_several_tasks && !use->has_several_nodes;
}

static void replace(const struct trace *t, const struct map *number_of, const use_list *uses,
                    struct trace *replaced)
{
    *replaced = (struct trace){.tables = t->tables, .is_sealed = true};
    trace_each (t, e) {
        struct event copy = *e;
        if (is_record_lock(e) && excludes_nobody(&uses->at[*map_get(number_of, e->object)])) {
            copy = (struct event){.kind = EVENT_LOG, .task = e->task, .location = e->location};
        }
        vec_push(&replaced->events, copy);
    }
    must(replaced->events.count == t->events.count);
}

const struct trace *file_locks_replace(const struct trace *t, struct trace *replaced)
{
    struct map number_of = {0};
    use_list uses = {0};
    bool is_any = false;
    *replaced = (struct trace){0};
    must(t->is_sealed);
    read_uses(t, &number_of, &uses);
    vec_each (&uses, use) {
        is_any |= excludes_nobody(use);
    }
    if (is_any) {
        replace(t, &number_of, &uses, replaced);
    }
    vec_release(&uses);
    map_release(&number_of);
    return is_any ? replaced : t;
}

void file_locks_release(struct trace *replaced)
{
    vec_release(&replaced->events);
}
