#include "order/event_notes.h"

#include <stdio.h>

#include "trace/kind_table.h"

void remark_place(char *text, size_t size, const struct trace *t, event_id id)
{
    const struct event *e = trace_at(t, id);
    const struct task *task = &t->tables.tasks.at[e->task];
    const char *node = trace_name(t, task->node);
    const char *location = trace_name(t, e->location);
    (void)snprintf(text, size, "event %u (%s by %s%s%s%s%s)", id, kind_of(e->kind)->name,
                   trace_name(t, task->name), node[0] == '\0' ? "" : "@", node,
                   location[0] == '\0' ? "" : " at ", location);
}

void remark(struct notes *n, const struct trace *t, event_id id, const char *text)
{
    char place[sizeof((struct note *)NULL)->place];
    remark_place(place, sizeof place, t, id);
    notes_add(n, place, "%s", text);
}
