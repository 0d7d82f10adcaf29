/* Contexts: the lines of events that program order orders.
 *
 *     task     START                    w   END          its main chain, a context of its own
 *                 | \                  / /
 *     handler     |  RECV HB r HE -----+ |               hangs off START, ends before w
 *     handler     RECV HB w HE ---------+                the same; unordered with the first
 *
 * Context i below task_count is the main chain of task i; the handlers follow in listed order. */
#ifndef CLEW_ORDER_CONTEXT_H
#define CLEW_ORDER_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/notes.h"
#include "trace/trace.h"

#define POSITION_NONE UINT32_MAX

struct context {
    uint32_t task;
    uint32_t first;   /* its events are members[first .. first + count), in listed order */
    uint32_t count;   /* a main chain may be empty; a handler has its RECV and HANDLER_BEGIN */
    event_id receive; /* handlers: the RECV that begins it, its first event */
    event_id hang;    /* handlers: the main event it comes after, EVENT_NONE when there is none */
    event_id next;    /* handlers: the main event after its end, EVENT_NONE when there is none */
    bool is_ended;    /* handlers: false when it holds the rest of its task */
};

/* Arrays are the arena's that built them; read them in place. */
struct contexts {
    uint32_t task_count;
    uint32_t count;
    const struct context *list;
    const uint32_t *of;       /* per event: its context */
    const uint32_t *position; /* per event: its place in its context, from 0 */
    const event_id *members;  /* the events, context by context */
    const event_id *last; /* per task: its last event in the list, EVENT_NONE when it has none */
};

/* The rule that defines program order. */
enum context_rule {
    CONTEXT_HANDLERS_APART, /* as drawn above */
    CONTEXT_TASKS,          /* each task's whole list, handlers included */
};

/* Builds the contexts of t in O(events), into the arena. Notes handlers that never end, nested
 * ones, and ends of nothing. */
void contexts_build(struct contexts *c, const struct trace *t, enum context_rule rule,
                    struct arena *a, struct notes *n);

static inline bool context_is_handler(const struct contexts *c, uint32_t context)
{
    must(context < c->count);
    return context >= c->task_count;
}

/* The event at this position of a context. */
static inline event_id context_event(const struct contexts *c, uint32_t context, uint32_t position)
{
    must(position < c->list[context].count);
    return c->members[c->list[context].first + position];
}

static inline event_id context_first(const struct contexts *c, uint32_t context)
{
    return context_event(c, context, 0);
}

static inline event_id context_last(const struct contexts *c, uint32_t context)
{
    return context_event(c, context, c->list[context].count - 1);
}

/* The event before in its context, EVENT_NONE at the beginning. */
static inline event_id context_before(const struct contexts *c, event_id id)
{
    const uint32_t position = c->position[id];
    return position == 0 ? EVENT_NONE : context_event(c, c->of[id], position - 1);
}

#endif
