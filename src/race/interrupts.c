#include "race/interrupts.h"

#include "base/arena.h"
#include "base/map.h"
#include "order/object_key.h"
#include "trace/kind_table.h"
#include "wire/must.h"

#define NOBODY UINT32_MAX

/* A signal is moved if its sender is known, and a handler takes it. */
enum { FATE_SENT = 1, FATE_HANDLED = 2, FATE_MOVED = FATE_SENT | FATE_HANDLED };

struct relaxing {
    const struct trace *t;
    uint32_t *depth;    /* per task: handlers that it is in */
    event_id *last;     /* per task: its last event outside of handlers */
    event_id *begin;    /* per task: of the outermost handler that it is in, ... */
    event_id *received; /* ... or of the signals that it has just received; EVENT_NONE: none */
    struct map sent;    /* object to the last event that sent its signal */
    uint8_t *fate;      /* per event that begins such a stretch */
    bool is_any;
};

static bool is_of_signal(const struct event *e, enum event_kind kind)
{
    return e->kind == kind && e->mode == ANNOTATION_ANY;
}

/* Whether the task that receives the signal at `id` has sent it itself by the call that it is in.
 */
static bool is_raised(const struct relaxing *r, event_id send, event_id id)
{
    const bool is_next = r->t->tables.order != ORDER_EXACT || id == send + 1;
    return send == r->last[trace_at(r->t, id)->task] && is_next;
}

/* Follows a task into its handlers. True: the event is in one, or receives a signal: a controlled
 * run reports that first. Then begin[task] is the first of them. */
static bool follow(struct relaxing *r, const struct event *e, event_id id)
{
    uint32_t *depth = &r->depth[e->task];
    event_id *received = &r->received[e->task];
    const bool is_receipt = e->kind == EVENT_HAPPENS_AFTER && e->mode == ANNOTATION_ANY;
    if (*depth == 0) {
        *received = !is_receipt && e->kind != EVENT_INTERRUPT ? EVENT_NONE
                    : *received == EVENT_NONE                 ? id
                                                              : *received;
        r->begin[e->task] = *received;
    }
    const bool is_in = *depth > 0 || *received != EVENT_NONE;
    *depth += e->kind == EVENT_INTERRUPT;
    if (e->kind == EVENT_INTERRUPT_END && *depth > 0 && --*depth == 0) {
        *received = EVENT_NONE;
    }
    return is_in;
}

static void start(struct relaxing *r)
{
    for (size_t i = 0; i < r->t->tables.tasks.count; i++) {
        r->depth[i] = 0;
        r->last[i] = r->begin[i] = r->received[i] = EVENT_NONE;
    }
}

static void find_moved(struct relaxing *r)
{
    start(r);
    for (event_id id = 0; id < r->t->events.count; id++) {
        const struct event *e = trace_at(r->t, id);
        const bool is_in = follow(r, e, id);
        const uint32_t *send = NULL;
        if (is_of_signal(e, EVENT_HAPPENS_BEFORE)) {
            map_put(&r->sent, scope_name(r->t, e, e->object), (uint32_t)id);
        } else if (is_in && is_of_signal(e, EVENT_HAPPENS_AFTER)) {
            send = map_get(&r->sent, scope_name(r->t, e, e->object));
        }
        if (!is_in) {
            r->last[e->task] = id;
            continue;
        }
        uint8_t *fate = &r->fate[r->begin[e->task]];
        *fate |= send != NULL && !is_raised(r, *send, id) ? FATE_SENT : 0;
        *fate |= r->depth[e->task] > 0 ? FATE_HANDLED : 0;
        r->is_any |= *fate == FATE_MOVED;
    }
}

/* The task of the handlers of `task`, which is made when it is first needed. */
static uint32_t handlers_of(const struct relaxing *r, struct trace *relaxed, uint32_t *handlers,
                            uint32_t task)
{
    if (handlers[task] == NOBODY) {
        handlers[task] = (uint32_t)relaxed->tables.tasks.count;
        vec_push(&relaxed->tables.tasks, r->t->tables.tasks.at[task]);
    }
    return handlers[task];
}

static void move(struct relaxing *r, struct trace *relaxed, struct arena *arena)
{
    const size_t task_count = r->t->tables.tasks.count;
    uint32_t *handlers = arena_array(arena, uint32_t, task_count + 1);
    *relaxed = (struct trace){.tables = r->t->tables, .is_sealed = true};
    relaxed->tables.tasks.at = NULL;
    relaxed->tables.tasks.count = relaxed->tables.tasks.capacity = 0;
    start(r);
    for (size_t i = 0; i < task_count; i++) {
        handlers[i] = NOBODY;
        vec_push(&relaxed->tables.tasks, r->t->tables.tasks.at[i]);
    }
    for (event_id id = 0; id < r->t->events.count; id++) {
        struct event copy = *trace_at(r->t, id);
        if (follow(r, &copy, id) && r->fate[r->begin[copy.task]] == FATE_MOVED) {
            copy.task = handlers_of(r, relaxed, handlers, copy.task);
        }
        vec_push(&relaxed->events, copy);
    }
    must(relaxed->events.count == r->t->events.count);
    must(relaxed->tables.tasks.count >= task_count);
}

static struct relaxing relaxing_of(const struct trace *t, struct arena *arena)
{
    const size_t task_count = t->tables.tasks.count;
    must(t->is_sealed);
    return (struct relaxing){.t = t,
                             .depth = arena_array(arena, uint32_t, task_count + 1),
                             .last = arena_array(arena, event_id, task_count + 1),
                             .begin = arena_array(arena, event_id, task_count + 1),
                             .received = arena_array(arena, event_id, task_count + 1),
                             .fate = arena_array(arena, uint8_t, t->events.count + 1)};
}

bool interrupts_relax(const struct trace *t, struct trace *relaxed)
{
    struct arena arena = {0};
    struct relaxing r = relaxing_of(t, &arena);
    *relaxed = (struct trace){0};
    find_moved(&r);
    if (r.is_any) {
        move(&r, relaxed, &arena);
    }
    map_release(&r.sent);
    arena_release(&arena);
    return r.is_any;
}

void interrupts_release(struct trace *relaxed)
{
    vec_release(&relaxed->events);
    vec_release(&relaxed->tables.tasks);
}

/* ---- handlers of a task that is alone ---- */

struct alone {
    uint32_t created, live; /* tasks beside the first */
    event_id handled;       /* the INTERRUPT of a handler that is alone; EVENT_NONE: none is */
    bool has_accesses;
    bool is_hidden; /* such a handler had none */
};

static void follow_alone(struct relaxing *r, struct alone *a, event_id id)
{
    const struct event *e = trace_at(r->t, id);
    const bool is_receipt = is_of_signal(e, EVENT_HAPPENS_AFTER);
    const uint32_t *send = is_receipt ? map_get(&r->sent, scope_name(r->t, e, e->object)) : NULL;
    if (send != NULL && !is_raised(r, *send, id)) {
        r->received[e->task] = id;
    } else if (e->kind == EVENT_INTERRUPT) {
        a->handled = a->live == 0 && r->received[e->task] != EVENT_NONE ? id : EVENT_NONE;
        a->has_accesses = false;
    } else if (event_class(e) == CLASS_ACCESS || event_class(e) == CLASS_ATOMIC) {
        a->has_accesses = true;
    } else if (e->kind == EVENT_INTERRUPT_END) {
        a->is_hidden |= a->handled != EVENT_NONE && !a->has_accesses;
        r->received[e->task] = EVENT_NONE;
    }
    a->created += e->kind == EVENT_THREAD_CREATE;
    a->live += e->kind == EVENT_THREAD_CREATE;
    a->live -= e->kind == EVENT_THREAD_END && a->live > 0;
    r->last[e->task] = is_receipt ? r->last[e->task] : id;
}

bool interrupts_hide_accesses(const struct trace *t)
{
    struct arena arena = {0};
    struct relaxing r = relaxing_of(t, &arena);
    struct alone a = {.handled = EVENT_NONE};
    start(&r);
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (is_of_signal(e, EVENT_HAPPENS_BEFORE)) {
            map_put(&r.sent, scope_name(t, e, e->object), (uint32_t)id);
        }
        follow_alone(&r, &a, id);
    }
    map_release(&r.sent);
    arena_release(&arena);
    return a.is_hidden && a.created > 0;
}
