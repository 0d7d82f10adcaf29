#include "trace/trace.h"

#include <string.h>

#include "trace/kind_table.h"

void trace_init(struct trace *t)
{
    *t = (struct trace){0};
    tables_init(&t->tables);
}

void trace_release(struct trace *t)
{
    tables_release(&t->tables);
    vec_release(&t->events);
}

void trace_append(struct trace *t, const struct event *e)
{
    must(!t->is_sealed);
    must(t->events.count < EVENT_NONE);
    vec_push(&t->events, *e);
}

void trace_seal(struct trace *t)
{
    const size_t name_count = t->tables.names.list.count;
    const size_t task_count = t->tables.tasks.count;
    trace_each (t, e) {
        const struct kind *kind = kind_of(e->kind);
        must(kind != NULL);
        must((event_numbers_set(e) & ~(unsigned)e->has) == 0);
        must(e->task < task_count);
        must(e->object < name_count);
        must(e->location < name_count);
        must(e->text < name_count);
        must((e->has & HAS_PEER) != 0 ? e->peer < task_count : e->message < name_count);
    }
    t->is_sealed = true;
}

int trace_append_batch(struct trace *t, const struct batch *b, struct err *e)
{
    must(!t->is_sealed);
    if (t->events.count + b->count >= EVENT_NONE) {
        return err_set(e, "more than %u events in one trace; take a part with clew slice",
                       EVENT_NONE - 1);
    }
    vec_reserve(&t->events, t->events.count + b->count);
    memcpy(t->events.at + t->events.count, b->events, b->count * sizeof *b->events);
    t->events.count += b->count;
    return 0;
}

int trace_load(struct trace *t, struct cursor *c, struct err *e)
{
    must(c->tables == &t->tables);
    struct batch b;
    int more = 0;
    while ((more = cursor_next(c, &b, e)) > 0) {
        if (trace_append_batch(t, &b, e) < 0) {
            return -1;
        }
    }
    return more;
}
