#include "shrink.h"

#include "base/mem.h"

void trace_copy_tables(struct trace *to, const struct trace *from)
{
    trace_init(to);
    to->tables.order = from->tables.order;
    for (size_t i = 1; i < from->tables.names.list.count; i++) {
        const struct name *n = &from->tables.names.list.at[i];
        const uint32_t copied = names_intern(&to->tables.names, n->text, n->size);
        must(copied == i);
    }
    vec_each (&from->tables.tasks, task) {
        (void)tables_task(&to->tables, task->node, task->name);
    }
}

void trace_keep(struct trace *to, const struct trace *from, const bool *keep)
{
    trace_copy_tables(to, from);
    for (event_id id = 0; id < from->events.count; id++) {
        if (keep[id]) {
            trace_append(to, trace_at(from, id));
        }
    }
    trace_seal(to);
}

static bool fails_without(const struct trace *from, bool *keep, event_id id,
                          bool (*fails)(const struct trace *t, void *context), void *context)
{
    struct trace smaller;
    keep[id] = false;
    trace_keep(&smaller, from, keep);
    const bool answer = fails(&smaller, context);
    trace_release(&smaller);
    keep[id] = !answer;
    return answer;
}

void trace_shrink(struct trace *to, const struct trace *from,
                  bool (*fails)(const struct trace *t, void *context), void *context)
{
    const size_t count = from->events.count;
    bool *keep = mem_zero(count + 1, sizeof *keep);
    for (size_t i = 0; i < count; i++) {
        keep[i] = true;
    }
    for (bool progress = true; progress;) {
        progress = false;
        for (event_id id = (event_id)count; id-- > 0;) {
            if (keep[id] && fails_without(from, keep, id, fails, context)) {
                progress = true;
            }
        }
    }
    trace_keep(to, from, keep);
    mem_free(keep);
}
