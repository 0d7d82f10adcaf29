#include "race/file_lock_owners.h"

#include "base/map.h"
#include "base/tuple_intern.h"
#include "trace/kind_table.h"
#include "wire/kind.h"
#include "wire/must.h"

/* The users of a lock. */
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

static uint64_t owner_of(const struct trace *t, const struct event *e)
{
    return is_of_process(e) ? trace_node_of(t, e) : (uint64_t)e->value;
}

static void read_uses(const struct trace *t, struct map *number_of, use_list *uses)
{
    trace_each (t, e) {
        if (!is_file_lock(e)) {
            continue;
        }
        bool is_new = false;
        const uint64_t owner = owner_of(t, e);
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

static struct event nothing(const struct event *e)
{
    return (struct event){.kind = EVENT_LOG, .task = e->task, .location = e->location};
}

static void replace(const struct trace *t, const struct map *number_of, const use_list *uses,
                    struct trace *replaced)
{
    *replaced = (struct trace){.tables = t->tables, .is_sealed = true};
    trace_each (t, e) {
        const bool is_nothing =
            is_file_lock(e) && excludes_nobody(&uses->at[*map_get(number_of, e->object)]);
        vec_push(&replaced->events, is_nothing ? nothing(e) : *e);
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

/* A number for the lock together with its owner. */
static uint32_t owner_number(struct tuples *owners, const struct trace *t, const struct event *e)
{
    const uint64_t owner = owner_of(t, e);
    return tuples_intern(owners,
                         (struct tuple){{e->object, (uint32_t)(owner >> 32), (uint32_t)owner}});
}

bool file_locks_relax(const struct trace *t, struct trace *relaxed)
{
    struct tuples owners = {0};
    struct map task_of = {0};     /* number of an owner to the first task that locks for it */
    struct map has_several = {0}; /* numbers of owners: another task does, too */
    *relaxed = (struct trace){0};
    must(t->is_sealed);
    trace_each (t, e) {
        if (is_file_lock(e)) {
            const uint32_t number = owner_number(&owners, t, e);
            if (*map_slot(&task_of, number, e->task, NULL) != e->task) {
                map_put(&has_several, number, 1);
            }
        }
    }
    const bool is_any = has_several.entries.count > 0;
    if (is_any) {
        *relaxed = (struct trace){.tables = t->tables, .is_sealed = true};
        trace_each (t, e) {
            const bool is_nothing =
                is_file_lock(e) && map_get(&has_several, owner_number(&owners, t, e)) != NULL;
            vec_push(&relaxed->events, is_nothing ? nothing(e) : *e);
        }
    }
    tuples_release(&owners);
    map_release(&task_of);
    map_release(&has_several);
    return is_any;
}

void file_locks_release(struct trace *replaced)
{
    vec_release(&replaced->events);
}
