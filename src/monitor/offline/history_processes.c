/* The processes of a history. */
#include "monitor/offline/state_history.h"
#include "wire/kind.h"

/* The key of a process: its node or, without one, its task. */
static uint64_t process_key(const struct task *task)
{
    return map_pair(task->node != 0, task->node != 0 ? task->node : task->name);
}

/* In an exact trace whose nodes run handlers, a node without handlers is the source of external
 * requests. Maps the keys of the others; nothing where there are no such nodes. */
static void find_handling(const struct trace *t, struct map *handling)
{
    for (event_id id = 0; t->tables.order == ORDER_EXACT && id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (e->kind == EVENT_HANDLER_BEGIN) {
            map_put(handling, process_key(vec_at(&t->tables.tasks, e->task)), 1);
        }
    }
}

void state_history_processes(struct state_history *h, const struct trace *t)
{
    struct map known = {0};
    struct map handling = {0};
    h->trace = t;
    find_handling(t, &handling);
    for (uint32_t i = 0; i < t->tables.tasks.count; i++) {
        vec_push(&h->process_of, UINT32_MAX);
    }
    for (int is_outside = 0; is_outside <= 1; is_outside++) {
        for (uint32_t i = 0; i < t->tables.tasks.count; i++) {
            const struct task *task = &t->tables.tasks.at[i];
            const uint64_t key = process_key(task);
            const bool is_inside = handling.entries.count == 0 || map_get(&handling, key) != NULL;
            bool is_new = false;
            if (is_inside != is_outside) {
                h->process_of.at[i] = *map_slot(&known, key, (uint32_t)h->processes.count, &is_new);
            }
            if (is_new) {
                vec_push(&h->processes, trace_name(t, task->node != 0 ? task->node : task->name));
            }
        }
        h->inside_count = is_outside == 0 ? (uint32_t)h->processes.count : h->inside_count;
    }
    map_release(&handling);
    map_release(&known);
}
