#include "atomicity/unobserved.h"

#include "base/arena.h"
#include "trace/kind_table.h"

/* The kinds of events that the trace has of a node. */
struct node_seen {
    uint32_t name;
    uint32_t task_count;
    bool is_observed;
};

struct nodes_seen {
    struct node_seen *list;
    uint32_t count;
    uint32_t *of_task; /* per task */
};

/* Blocks of a controlled program, which have a value, may be all that its code tells. */
static bool shows_accesses(const struct event *e)
{
    return event_class(e) == CLASS_ACCESS || event_class(e) == CLASS_ATOMIC ||
           (e->kind == EVENT_COVERAGE && (e->has & HAS_VALUE) == 0);
}

static struct nodes_seen collect(struct arena *a, const struct trace *t)
{
    const uint32_t task_count = (uint32_t)t->tables.tasks.count;
    struct nodes_seen s = {.list = arena_array(a, struct node_seen, (size_t)task_count + 1),
                           .of_task = arena_array(a, uint32_t, (size_t)task_count + 1)};
    struct map number_of = {0};
    for (uint32_t task = 0; task < task_count; task++) {
        const uint32_t name = t->tables.tasks.at[task].node;
        bool is_new = false;
        s.of_task[task] = *map_slot(&number_of, name, s.count, &is_new);
        if (is_new) {
            s.list[s.count++].name = name;
        }
        s.list[s.of_task[task]].task_count++;
    }
    map_release(&number_of);
    trace_each (t, event) {
        s.list[s.of_task[event->task]].is_observed |= shows_accesses(event);
    }
    return s;
}

uint64_t unobserved_count(const struct trace *t, struct notes *n)
{
    struct arena scratch = {0};
    const struct nodes_seen seen = collect(&scratch, t);
    const bool is_recording = t->tables.order == ORDER_STAMPED;
    bool is_observed = false;
    uint64_t count = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        const struct node_seen *node = &seen.list[i];
        is_observed |= node->is_observed;
        if (is_recording && node->task_count > 1 && !node->is_observed) {
            notes_add(n, trace_name(t, node->name),
                      "a process with threads has no memory accesses in the trace: its atomicity "
                      "is not known; build the program with clew cc and record it again");
            count++;
        }
    }
    if (!is_observed && count == 0) {
        notes_add(n, "",
                  "the trace has no accesses to memory or resources: atomicity is not known; %s",
                  is_recording ? "build the program with clew cc and record it again"
                               : "record a program built with clew cc, or import accesses");
        count = 1;
    }
    arena_release(&scratch);
    return count;
}
