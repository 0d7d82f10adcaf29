#include "trace/summary.h"

#include "trace/kind_table.h"
#include "trace/name_scope.h"

const char *role_name(enum role role, bool is_plural)
{
    static const char *const names[ROLE_COUNT][2] = {
#define ROLE(id, name, plural) {name, plural},
        ROLE_LIST(ROLE)
#undef ROLE
    };
    must(role < ROLE_COUNT);
    return names[role][is_plural ? 1 : 0];
}

void summary_init(struct summary *s, const struct tables *tables)
{
    *s = (struct summary){.tables = tables};
}

void summary_release(struct summary *s)
{
    vec_release(&s->by_task);
    map_release(&s->objects);
}

static enum role sync_role(uint16_t kind)
{
    switch (kind) {
    case EVENT_LOCK:
    case EVENT_UNLOCK: return ROLE_LOCK;
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST: return ROLE_CONDITION;
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT: return ROLE_BARRIER;
    case EVENT_SEM_POST:
    case EVENT_SEM_WAIT: return ROLE_SEMAPHORE;
    default: return ROLE_OTHER;
    }
}

static enum role role_of(const struct event *e)
{
    switch (event_class(e)) {
    case CLASS_ACCESS:
    case CLASS_ATOMIC: return ROLE_VARIABLE;
    case CLASS_SYNC: return sync_role(e->kind);
    case CLASS_NET: return ROLE_CHANNEL;
    case CLASS_FILE: return ROLE_FILE;
    case CLASS_TIMER: return ROLE_TIMER;
    case CLASS_HTTP: return ROLE_RESOURCE;
    case CLASS_PROCESS:
    case CLASS_THREAD:
    case CLASS_MEMORY:
    case CLASS_HANDLER:
    case CLASS_REPORT:
    case CLASS_REGION:
    case CLASS_ANNOTATION:
    case CLASS_CONTROL: return ROLE_OTHER;
    case CLASS_COUNT: break;
    }
    bug("event class");
}

/* Channels, resources, the locks of several processes and memory that processes share are the same
 * on every node; everything else belongs to its node. */
static uint32_t node_of(const struct summary *s, const struct event *e, enum role role)
{
    const bool is_shared = role == ROLE_CHANNEL || role == ROLE_RESOURCE ||
                           (role == ROLE_LOCK && lock_mode_is_across_processes(e->mode)) ||
                           scope_is_whole(&s->tables->names, e->object);
    return is_shared ? 0 : s->tables->tasks.at[e->task].node;
}

static void count_time(struct summary *s, int64_t time)
{
    s->time_first = !s->has_time || time < s->time_first ? time : s->time_first;
    s->time_last = !s->has_time || time > s->time_last ? time : s->time_last;
    s->has_time = true;
}

void summary_events(struct summary *s, const struct batch *b)
{
    vec_reserve(&s->by_task, s->tables->tasks.count);
    while (s->by_task.count < s->tables->tasks.count) {
        vec_push(&s->by_task, 0);
    }
    for (size_t i = 0; i < b->count; i++) {
        const struct event *e = &b->events[i];
        must(e->kind < KIND_LIMIT);
        must(e->task < s->by_task.count);
        s->by_kind[e->kind]++;
        s->block_count += e->kind == EVENT_COVERAGE ? e->count : 0;
        s->by_task.at[e->task]++;
        if ((e->has & HAS_TIME) != 0 && e->time != 0) {
            count_time(s, e->time);
        }
        if (e->object != 0) {
            const enum role role = role_of(e);
            const uint64_t key = map_pair(node_of(s, e, role), e->object);
            *map_slot(&s->objects, key, 0, NULL) |= 1u << role;
        }
    }
    s->event_count += b->count;
}

uint64_t summary_objects(const struct summary *s, enum role role)
{
    uint64_t count = 0;
    vec_each (&s->objects.entries, entry) {
        count += entry->value >> role & 1;
    }
    return count;
}

const struct node_summary *summary_nodes(const struct summary *s, struct arena *a, size_t *count)
{
    const size_t task_count = s->tables->tasks.count;
    struct node_summary *nodes = arena_array(a, struct node_summary, task_count);
    struct map index_of = {0};
    *count = 0;
    for (size_t task = 0; task < task_count; task++) {
        const uint32_t name = s->tables->tasks.at[task].node;
        bool is_new = false;
        const uint32_t index = *map_slot(&index_of, name, (uint32_t)*count, &is_new);
        *count += is_new ? 1 : 0;
        nodes[index].node = name;
        nodes[index].task_count++;
        nodes[index].event_count += task < s->by_task.count ? s->by_task.at[task] : 0;
    }
    map_release(&index_of);
    return nodes;
}
