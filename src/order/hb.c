#include "order/hb.h"

#include <stdio.h>

#include "base/map.h"
#include "order/event_notes.h"
#include "order/sync_edges.h"

/* ---- edges ---- */

static void add_handlers(struct hb *hb)
{
    const struct contexts *c = &hb->contexts;
    for (uint32_t i = c->task_count; i < c->count; i++) {
        if (c->list[i].hang != EVENT_NONE) {
            edges_add(&hb->edges, c->list[i].hang, context_first(c, i), EDGE_HANDLER);
        }
        if (c->list[i].next != EVENT_NONE) {
            edges_add(&hb->edges, context_last(c, i), c->list[i].next, EDGE_HANDLED);
        }
    }
}

/* Orders a task's receives on one stream where its chains do not: the later is in a handler that
 * hangs off the same main event. A handler that such a receive begins comes after all of the
 * earlier handler, since the two cannot overlap. */
static void add_stream_order(struct hb *hb, event_id earlier, event_id later)
{
    const struct contexts *c = &hb->contexts;
    const uint32_t from = c->of[earlier];
    const uint32_t to = c->of[later];
    if (from == to || !context_is_handler(c, from) || !context_is_handler(c, to) ||
        c->list[from].hang != c->list[to].hang) {
        return;
    }
    edges_add(&hb->edges, c->position[later] == 0 ? context_last(c, from) : earlier, later,
              EDGE_STREAM);
}

static void add_streams(struct hb *hb)
{
    const struct contexts *c = &hb->contexts;
    struct map last_of = {0}; /* (task, channel) to its last receive */
    for (event_id id = 0; c->count > c->task_count && id < hb->trace->events.count; id++) {
        const struct event *e = &hb->trace->events.at[id];
        if (e->kind != EVENT_RECV || !message_is_stream(e)) {
            continue;
        }
        bool is_new = false;
        uint32_t *last = map_slot(&last_of, map_pair(e->task, e->object), id, &is_new);
        if (!is_new) {
            add_stream_order(hb, *last, id);
        }
        *last = id;
    }
    map_release(&last_of);
}

/* Orders the beginning of a section before its end, where program order does not. Returns whether
 * there was such a section. */
static bool add_within(struct hb *hb)
{
    const size_t count_before = hb->edges.list.count;
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        if (hb->contexts.of[s->begin] != hb->contexts.of[s->end]) {
            edges_add(&hb->edges, s->begin, s->end, EDGE_WITHIN);
        }
    }
    return hb->edges.list.count > count_before;
}

/* The latest sections of one task, of all and of those not shared. The last may still be open, so
 * the one before it is kept too. */
struct latest {
    const struct section *any[2];
    const struct section *exclusive[2];
};

static void latest_push(const struct section **two, const struct section *s)
{
    two[1] = two[0];
    two[0] = s;
}

/* The sections of a lock as observed: each after the last ended one of every other task that
 * excludes it. */
static void add_section_order_by_task(struct hb *hb, const struct lock *lock)
{
    struct arena scratch = {0};
    struct map number_of = {0}; /* of tasks */
    struct latest *latest = arena_array(&scratch, struct latest, lock->count);
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct section *s = &hb->sections.list[hb->sections.by_lock[lock->first + i]];
        const uint32_t task =
            *map_slot(&number_of, s->task, (uint32_t)number_of.entries.count, NULL);
        for (uint32_t other = 0; other < number_of.entries.count; other++) {
            const struct section *const *two =
                s->is_shared ? latest[other].exclusive : latest[other].any;
            const struct section *ended =
                two[0] != NULL && two[0]->end < s->begin ? two[0] : two[1];
            if (other != task && ended != NULL) {
                edges_add(&hb->edges, ended->end, s->begin, EDGE_SECTION);
            }
        }
        latest_push(latest[task].any, s);
        if (!s->is_shared) {
            latest_push(latest[task].exclusive, s);
        }
    }
    map_release(&number_of);
    arena_release(&scratch);
}

/* The same for a lock whose sections never overlap in the list where they must not: each after the
 * last exclusive one and, if it is exclusive itself, those shared since. False when they do. */
static bool add_section_order(struct hb *hb, const struct lock *lock)
{
    const size_t edge_count = hb->edges.list.count;
    const struct section *exclusive = NULL;
    uint32_t since = 0; /* the first section after that */
    for (uint32_t i = 0; i < lock->count; i++) {
        const uint32_t *numbers = hb->sections.by_lock + lock->first;
        const struct section *s = &hb->sections.list[numbers[i]];
        bool is_apart = exclusive == NULL || exclusive->end < s->begin;
        if (is_apart && exclusive != NULL && exclusive->task != s->task) {
            edges_add(&hb->edges, exclusive->end, s->begin, EDGE_SECTION);
        }
        for (uint32_t k = since; !s->is_shared && is_apart && k < i; k++) {
            const struct section *shared = &hb->sections.list[numbers[k]];
            is_apart = shared->end < s->begin;
            if (is_apart && shared->task != s->task) {
                edges_add(&hb->edges, shared->end, s->begin, EDGE_SECTION);
            }
        }
        if (!is_apart) {
            hb->edges.list.count = edge_count;
            return false;
        }
        exclusive = s->is_shared ? exclusive : s;
        since = s->is_shared ? since : i + 1;
    }
    return true;
}

/* Adds the observed orders beyond the required ones: the order of sections ... */
static void add_locks_observed(struct hb *hb)
{
    for (uint32_t i = 0; i < hb->sections.lock_count; i++) {
        const struct lock *lock = &hb->sections.locks[i];
        if (lock->is_contended && !add_section_order(hb, lock)) {
            add_section_order_by_task(hb, lock);
        }
    }
}

/* ... and the notify that ended each wait. */
static void add_waits_observed(struct hb *hb)
{
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        const struct wait *w = &hb->waits.list[i];
        if (w->notify != EVENT_NONE) {
            edges_add(&hb->edges, w->notify, w->end, EDGE_NOTIFY);
        }
    }
}

static size_t drop_against_list(struct edges *e)
{
    size_t kept = 0;
    vec_each (&e->list, edge) {
        if (edge->from < edge->to) {
            e->list.at[kept++] = *edge;
        }
    }
    const size_t dropped = e->list.count - kept;
    e->list.count = kept;
    return dropped;
}

static bool goes_against_list(const struct edges *e)
{
    vec_each (&e->list, edge) {
        if (edge->from > edge->to) {
            return true;
        }
    }
    return false;
}

/* ---- contradictions ---- */

/* Walks back from a blocked event, each time to an event it waits for, until a context repeats: the
 * walk from there is a cycle. Returns the number of events written, at most max. */
static size_t find_cycle(const struct hb *hb, event_id blocked, event_id *cycle, size_t max)
{
    const struct contexts *c = &hb->contexts;
    struct arena scratch = {0};
    uint32_t *step_at = arena_array(&scratch, uint32_t, (size_t)c->count + 1);
    struct {
        VEC(event_id) events;
    } walk = {0};
    uint32_t context = c->of[blocked];
    while (step_at[context] == 0) {
        const uint32_t position = hb->before.swept[context];
        const struct graph_span in = graph_span_at(graph_into(&hb->graph, context), position);
        size_t i = 0;
        while (c->position[in.at[i].event] < hb->before.swept[c->of[in.at[i].event]]) {
            i++;
            must(i < in.count);
        }
        vec_push(&walk.events, in.at[i].event);
        step_at[context] = (uint32_t)walk.events.count;
        context = c->of[in.at[i].event];
    }
    size_t count = 0;
    for (size_t i = walk.events.count; i >= step_at[context] && count < max; i--) {
        cycle[count++] = *vec_at(&walk.events, i - 1);
    }
    vec_release(&walk.events);
    arena_release(&scratch);
    return count;
}

static void note_cycle(const struct hb *hb, event_id blocked, struct notes *n)
{
    enum { SHOWN_MAX = 8 };
    event_id cycle[SHOWN_MAX];
    const size_t count = find_cycle(hb, blocked, cycle, SHOWN_MAX);
    must(count > 0);
    char text[120];
    size_t used = 0;
    for (size_t i = 0; i <= count && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i == 0 ? "" : " < ",
                                 cycle[i % count]);
    }
    char place[sizeof((struct note *)NULL)->place];
    remark_place(place, sizeof place, hb->trace, cycle[0]);
    notes_add(n, place,
              "the trace contradicts itself (events %s): orders against the list are dropped",
              text);
}

/* ---- building ---- */

/* Sweeps the graph as it is. A graph along the list has no cycle and needs no sweep to check. */
static event_id sweep(struct hb *hb, enum reach_scope scope)
{
    reach_release(&hb->before);
    reach_release(&hb->after);
    hb->scope = scope;
    event_id blocked = EVENT_NONE;
    if (scope == REACH_NONE && !goes_against_list(&hb->edges)) {
        return EVENT_NONE;
    }
    if (hb->sides != HB_AFTER) {
        blocked = reach_build(&hb->before, &hb->graph, hb->trace, REACH_BEFORE, scope, &hb->layout);
    }
    if (hb->sides != HB_BEFORE && blocked == EVENT_NONE) {
        const event_id back =
            reach_build(&hb->after, &hb->graph, hb->trace, REACH_AFTER, scope, &hb->layout);
        must(back == EVENT_NONE);
    }
    return blocked;
}

event_id hb_rebuild(struct hb *hb)
{
    reach_release(&hb->before);
    reach_release(&hb->after);
    arena_release(&hb->layout);
    graph_build(&hb->graph, &hb->contexts, &hb->edges, &hb->layout);
    return sweep(hb, hb->scope);
}

void hb_rescope(struct hb *hb, enum reach_scope scope, enum hb_sides sides)
{
    hb->sides = sides;
    const event_id blocked = sweep(hb, scope);
    must(blocked == EVENT_NONE);
}

static void note_zero_times(const struct trace *t, struct notes *n)
{
    event_id first = EVENT_NONE;
    uint64_t count = 0;
    bool has_real = false;
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = &t->events.at[id];
        if ((e->has & HAS_TIME) != 0) {
            has_real |= e->time != 0;
            count += e->time == 0;
            first = e->time == 0 && first == EVENT_NONE ? id : first;
        }
    }
    if (has_real && count > 0) {
        char place[sizeof((struct note *)NULL)->place];
        remark_place(place, sizeof place, t, first);
        notes_add_many(n, count, place,
                       "a time of 0 among real times: events of a task are ordered by the list");
    }
}

static void build_graph(struct hb *hb, struct notes *n)
{
    hb->follows_list = !goes_against_list(&hb->edges);
    const event_id blocked = hb_rebuild(hb);
    if (blocked != EVENT_NONE) {
        note_cycle(hb, blocked, n);
        hb->dropped = drop_against_list(&hb->edges);
        hb->follows_list = true;
        hb->has_dropped = true;
        const event_id still_blocked = hb_rebuild(hb);
        must(still_blocked == EVENT_NONE);
    }
    const size_t edge_count = hb->edges.list.count;
    if (add_within(hb) && hb_rebuild(hb) != EVENT_NONE) {
        hb->is_contradictory = true;
        hb->edges.list.count = edge_count;
        const event_id still_blocked = hb_rebuild(hb);
        must(still_blocked == EVENT_NONE);
    }
    must(hb->graph.edge_count == hb->edges.list.count);
}

int hb_build(struct hb *hb, const struct trace *t, const struct hb_options *options,
             struct notes *n, struct err *e)
{
    must(t->is_sealed);
    *hb = (struct hb){.trace = t, .model = options->model, .scope = options->scope};
    const bool is_by_task = options->model != HB_STRICT;
    contexts_build(&hb->contexts, t, is_by_task ? CONTEXT_TASKS : CONTEXT_HANDLERS_APART,
                   &hb->arena, n);
    add_handlers(hb);
    semaphores_build(&hb->semaphores, t, &hb->contexts, &hb->arena);
    if (!is_by_task && !options->fixes_onces) {
        onces_build(&hb->onces, t, &hb->contexts, &hb->arena);
    }
    const struct sync_options sync = {
        .scope = options->model == HB_OBSERVED ? SYNC_THIS_SCHEDULE : SYNC_EVERY_SCHEDULE,
        .semaphores = &hb->semaphores,
        .onces = &hb->onces,
    };
    sync_add(&hb->edges, t, &hb->contexts, &sync, n);
    messages_build(&hb->messages, t, &hb->edges, &hb->arena, n);
    add_streams(hb);
    waits_build(&hb->waits, t, &hb->semaphores, &hb->arena, n);
    const struct sections_options uses = {
        .waits = &hb->waits, .semaphores = &hb->semaphores, .onces = &hb->onces};
    sections_build(&hb->sections, t, &hb->contexts, &uses, &hb->arena, n);
    note_zero_times(t, n);
    if (options->given != NULL && given_add(options->given, t, &hb->edges, n, e) < 0) {
        hb_release(hb);
        return -1;
    }
    if (is_by_task) {
        if (options->model == HB_OBSERVED) {
            add_locks_observed(hb);
        }
        add_waits_observed(hb);
        hb->dropped = drop_against_list(&hb->edges);
        if (hb->dropped > 0) {
            notes_add_many(n, hb->dropped, "", "an order against the list is dropped");
        }
    }
    build_graph(hb, n);
    return 0;
}

void hb_release(struct hb *hb)
{
    reach_release(&hb->before);
    reach_release(&hb->after);
    edges_release(&hb->edges);
    arena_release(&hb->layout);
    arena_release(&hb->arena);
}

/* ---- queries ---- */

/* Whether a, on a main chain, is b or comes before it. */
static bool main_is_not_after(const struct hb *hb, event_id a, event_id b)
{
    const uint32_t task = hb->trace->events.at[a].task;
    return hb->contexts.position[a] < reach_count(&hb->before, b, task);
}

/* Handlers that a walk has visited, and from which position on. */
struct walk {
    VEC(struct map_entry) queue;
    struct map from; /* handler to the least position */
};

static void walk_to(struct walk *w, const struct contexts *c, event_id id)
{
    const uint32_t position = c->position[id];
    bool is_new = false;
    uint32_t *from = map_slot(&w->from, c->of[id], position, &is_new);
    if (is_new || position < *from) {
        *from = position;
        vec_push(&w->queue, (struct map_entry){.key = c->of[id], .value = position});
    }
}

/* Walks from handler to handler, until an edge reaches a main chain that reaches b. */
static bool walk_reaches(const struct hb *hb, event_id a, event_id b)
{
    const struct contexts *c = &hb->contexts;
    struct walk w = {0};
    bool is_reached = false;
    walk_to(&w, c, a);
    while (!is_reached && w.queue.count > 0) {
        const struct map_entry at = vec_pop(&w.queue);
        const uint32_t context = (uint32_t)at.key;
        const struct graph_span out = graph_span_from(graph_out_of(&hb->graph, context), at.value);
        is_reached = c->of[b] == context && at.value <= c->position[b];
        for (size_t i = 0; i < out.count && !is_reached; i++) {
            const event_id target = out.at[i].event;
            if (!context_is_handler(c, c->of[target])) {
                is_reached = main_is_not_after(hb, target, b);
            } else {
                walk_to(&w, c, target);
            }
        }
    }
    vec_release(&w.queue);
    map_release(&w.from);
    return is_reached;
}

bool hb_is_before(const struct hb *hb, event_id a, event_id b)
{
    const struct contexts *c = &hb->contexts;
    if (c->of[a] == c->of[b]) {
        return c->position[a] < c->position[b];
    }
    if (!context_is_handler(c, c->of[a])) {
        return main_is_not_after(hb, a, b);
    }
    bool has_handlers = false;
    const struct graph_span out =
        graph_span_from(graph_out_of(&hb->graph, c->of[a]), c->position[a]);
    for (size_t i = 0; i < out.count; i++) {
        if (context_is_handler(c, c->of[out.at[i].event])) {
            has_handlers = true;
        } else if (main_is_not_after(hb, out.at[i].event, b)) {
            return true;
        }
    }
    return has_handlers && walk_reaches(hb, a, b);
}

bool hb_is_concurrent(const struct hb *hb, event_id a, event_id b)
{
    return a != b && !hb_is_before(hb, a, b) && !hb_is_before(hb, b, a);
}
