#include "order/context.h"

#include "order/event_notes.h"
#include "wire/kind.h"

/* The position of the walk in one task. */
struct walk {
    uint32_t handler;  /* the current one, 0: none (context 0 is a main chain) */
    uint32_t depth;    /* of HANDLER_BEGINs in it that have not ended */
    uint32_t plain;    /* handlers of no message that have not ended: parts of the main chain */
    event_id previous; /* event of the task */
    event_id main[2];  /* the latest events of its main chain, the last first */
    uint32_t waiting;  /* handlers that have ended and await the next main event: a list */
};

struct build {
    struct contexts *c;
    const struct trace *t;
    struct notes *n;
    struct walk *walks;
    VEC(struct context) list;
    VEC(uint32_t) waiting_next; /* per context: the next in its task's list of waiting ones */
    uint32_t *of;
    uint32_t *position;
};

static bool is_receive(const struct build *b, event_id id)
{
    return id != EVENT_NONE && trace_at(b->t, id)->kind == EVENT_RECV;
}

/* The kinds of events that handlers without a message have: a start, a timer, a write. */
static bool is_occasion(const struct build *b, event_id id)
{
    const uint16_t kind = id == EVENT_NONE ? 0 : trace_at(b->t, id)->kind;
    return kind == EVENT_THREAD_START || kind == EVENT_TIMER_FIRE || kind == EVENT_FILE_SYNC;
}

/* A main event that begins no handler comes after all handlers that ended before it. */
static void settle(struct build *b, struct walk *w, event_id main_event)
{
    for (uint32_t handler = w->waiting; handler != 0;
         handler = *vec_at(&b->waiting_next, handler)) {
        vec_at(&b->list, handler)->next = main_event;
    }
    w->waiting = 0;
}

static void place(struct build *b, uint32_t context, event_id id)
{
    b->of[id] = context;
    b->position[id] = vec_at(&b->list, context)->count++;
}

static void place_on_main(struct build *b, struct walk *w, event_id id)
{
    place(b, trace_at(b->t, id)->task, id);
    w->main[1] = w->main[0];
    w->main[0] = id;
}

/* Moves the preceding RECV, the last event of the main chain, into the handler that begins. */
static void handler_begin(struct build *b, struct walk *w, event_id id)
{
    const uint32_t task = trace_at(b->t, id)->task;
    const event_id receive = w->previous;
    must(w->main[0] == receive);
    vec_at(&b->list, task)->count--;
    w->main[0] = w->main[1];
    w->handler = (uint32_t)b->list.count;
    w->depth = 1;
    vec_push(
        &b->list,
        (struct context){.task = task, .receive = receive, .hang = w->main[0], .next = EVENT_NONE});
    vec_push(&b->waiting_next, 0);
    place(b, w->handler, receive);
    place(b, w->handler, id);
}

static void step_in_handler(struct build *b, struct walk *w, event_id id)
{
    const uint16_t kind = trace_at(b->t, id)->kind;
    place(b, w->handler, id);
    if (kind == EVENT_HANDLER_BEGIN) {
        w->depth++;
        remark(b->n, b->t, id, "a handler begins inside another and is taken as a part of it");
    } else if (kind == EVENT_HANDLER_END && --w->depth == 0) {
        b->list.at[w->handler].is_ended = true;
        b->waiting_next.at[w->handler] = w->waiting;
        w->waiting = w->handler;
        w->handler = 0;
    }
}

static void step_on_main(struct build *b, struct walk *w, event_id id)
{
    const struct event *e = trace_at(b->t, id);
    const bool follows_receive = is_receive(b, w->previous) && b->of[w->previous] == e->task;
    if (e->kind == EVENT_HANDLER_BEGIN && follows_receive) {
        handler_begin(b, w, id);
        return;
    }
    if (follows_receive) {
        settle(b, w, w->previous); /* it belongs to no handler, as is known only now */
    }
    if (e->kind != EVENT_RECV) {
        settle(b, w, id);
    }
    if (e->kind == EVENT_HANDLER_BEGIN && is_occasion(b, w->previous)) {
        w->plain++;
    } else if (e->kind == EVENT_HANDLER_BEGIN) {
        remark(b->n, b->t, id, "a handler begins without a receive before it and is no context");
    } else if (e->kind == EVENT_HANDLER_END && w->plain > 0) {
        w->plain--;
    } else if (e->kind == EVENT_HANDLER_END) {
        remark(b->n, b->t, id, "a handler ends that never began");
    }
    place_on_main(b, w, id);
}

static void finish(struct build *b)
{
    struct contexts *c = b->c;
    for (uint32_t task = 0; task < c->task_count; task++) {
        struct walk *w = &b->walks[task];
        if (w->handler != 0) {
            remark(b->n, b->t, context_first(c, w->handler),
                   "a handler never ends and holds the rest of its task");
        } else if (is_receive(b, w->previous) && b->of[w->previous] == task) {
            settle(b, w, w->previous);
        }
    }
}

static void lay_out(struct build *b, struct arena *a)
{
    struct contexts *c = b->c;
    const size_t event_count = b->t->events.count;
    c->count = (uint32_t)b->list.count;
    uint32_t first = 0;
    vec_each (&b->list, context) {
        context->first = first;
        first += context->count;
    }
    must(first == event_count);
    must(c->count >= c->task_count); /* each task has a main chain */
    event_id *members = arena_array(a, event_id, event_count + 1);
    for (event_id id = 0; id < event_count; id++) {
        must(b->position[id] < b->list.at[b->of[id]].count);
        members[b->list.at[b->of[id]].first + b->position[id]] = id;
    }
    c->members = members;
}

void contexts_build(struct contexts *c, const struct trace *t, enum context_rule rule,
                    struct arena *a, struct notes *n)
{
    const size_t event_count = t->events.count;
    const uint32_t task_count = (uint32_t)t->tables.tasks.count;
    struct arena scratch = {0};
    struct build b = {
        .c = c,
        .t = t,
        .n = n,
        .walks = arena_array(&scratch, struct walk, task_count + 1),
        .of = arena_array(a, uint32_t, event_count + 1),
        .position = arena_array(a, uint32_t, event_count + 1),
    };
    for (uint32_t task = 0; task < task_count; task++) {
        b.walks[task].previous = EVENT_NONE;
        b.walks[task].main[0] = b.walks[task].main[1] = EVENT_NONE;
        vec_push(&b.list,
                 (struct context){
                     .task = task, .receive = EVENT_NONE, .hang = EVENT_NONE, .next = EVENT_NONE});
        vec_push(&b.waiting_next, 0);
    }
    for (event_id id = 0; id < event_count; id++) {
        struct walk *w = &b.walks[t->events.at[id].task];
        if (rule == CONTEXT_TASKS) {
            place(&b, t->events.at[id].task, id);
        } else if (w->handler != 0) {
            step_in_handler(&b, w, id);
        } else {
            step_on_main(&b, w, id);
        }
        w->previous = id;
    }

    *c = (struct contexts){.task_count = task_count, .of = b.of, .position = b.position};
    lay_out(&b, a);
    c->list = b.list.at; /* for finish, which still settles */
    finish(&b);
    struct context *list = arena_array(a, struct context, b.list.count + 1);
    event_id *last = arena_array(a, event_id, task_count + 1);
    for (size_t i = 0; i < b.list.count; i++) {
        list[i] = b.list.at[i];
    }
    for (uint32_t task = 0; task < task_count; task++) {
        last[task] = b.walks[task].previous;
    }
    c->list = list;
    c->last = last;
    vec_release(&b.list);
    vec_release(&b.waiting_next);
    arena_release(&scratch);
}
