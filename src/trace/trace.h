/* A trace: the events of an execution. An append-only list of events with its tables; sealed, then
 * read-only. */
#ifndef CLEW_TRACE_TRACE_H
#define CLEW_TRACE_TRACE_H

#include <stdbool.h>

#include "trace/cursor.h"
#include "trace/tables.h"
#include "wire/event.h"

/* The 0-based position of an event in its trace. */
typedef uint32_t event_id;
#define EVENT_NONE UINT32_MAX

struct trace {
    struct tables tables;
    VEC(struct event) events; /* 64 bytes each, grown without copying */
    bool is_sealed;
};

void trace_init(struct trace *t);
void trace_release(struct trace *t);

/* Appends one event, whose names and tasks are from t->tables. */
void trace_append(struct trace *t, const struct event *e);

/* Appends a batch of such events. Fails when there are more than event_id can name. */
MUST_USE int trace_append_batch(struct trace *t, const struct batch *b, struct err *e);

/* Ends appending: checks every number against the tables. */
void trace_seal(struct trace *t);

/* Appends the rest of the events of the cursor, which must fill t->tables. Fails with the cursor's
 * error, or when there are more events than event_id can name. */
MUST_USE int trace_load(struct trace *t, struct cursor *c, struct err *e);

#define trace_each(t, event) vec_each (&(t)->events, event)

static inline const struct event *trace_at(const struct trace *t, event_id id)
{
    must(id < t->events.count);
    return &t->events.at[id];
}

static inline uint32_t trace_node_of(const struct trace *t, const struct event *e)
{
    must(e->task < t->tables.tasks.count);
    return t->tables.tasks.at[e->task].node;
}

static inline const char *trace_name(const struct trace *t, uint32_t name)
{
    return names_text(&t->tables.names, name);
}

#endif
