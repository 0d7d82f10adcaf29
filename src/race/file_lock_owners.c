#include "race/file_lock_owners.h"

#include "base/map.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

/* Who uses a lock. */
struct use {
    uint64_t owner;
    uint32_t task;
    bool has_several_owners, has_several_tasks;
};

typedef VEC(struct use) use_list;

static bool is_of_process(const struct event *e)
{
    const uint8_t held = lock_mode_held(e->mode);
    return held == LOCK_FCNTL_READ || held == LOCK_FCNTL_WRITE;
}

static bool is_of_description(const struct event *e)
{
    const uint8_t held = lock_mode_held(e->mode);
    return (held == LOCK_FLOCK_READ || held == LOCK_FLOCK_WRITE) && (e->has & HAS_VALUE) != 0;
}

static bool is_file_lock(const struct event *e)
{
    return (e->kind == EVENT_LOCK || e->kind == EVENT_UNLOCK) &&
           (is_of_process(e) || is_of_description(e));
}

static void read_uses(const struct trace *t, struct map *number_of, use_list *uses)
{
    trace_each (t, e) {
        if (!is_file_lock(e)) {
            continue;
        }
        bool is_new = false;
        const uint64_t owner = is_of_process(e) ? trace_node_of(t, e) : (uint64_t)e->value;
        const uint32_t number = *map_slot(number_of, e->object, (uint32_t)uses->count, &is_new);
        if (is_new) {
            vec_push(uses, (struct use){.owner = owner, .task = e->task});
        }
        struct use *use = &uses->at[number];
        use->has_several_owners |= use->owner != owner;
        use->has_several_tasks |= use->task != e->task;
    }
}

static bool excludes_nobody(const struct use *use)
{
    return use->has_several_tasks && !use->has_several_owners;
}

static void replace(const struct trace *t, const struct map *number_of, const use_list *uses,
                    struct trace *replaced)
{
    *replaced = (struct trace){.tables = t->tables, .is_sealed = true};
    trace_each (t, e) {
        struct event copy = *e;
        if (is_file_lock(e) && excludes_nobody(&uses->at[*map_get(number_of, e->object)])) {
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
