#include "order/reachability.h"

#include <string.h>

#include "base/bits.h"
#include "base/map.h"
#include "trace/name_scope.h"

/* The empty clock, with which all begin. */
enum { CLOCK_NOTHING = 0 };

/* A pool of full-width clocks: reference-counted, recycled except CLOCK_NOTHING. */
struct pool {
    uint32_t width;
    struct arena *arena; /* of the clocks */
    VEC(uint32_t *) clocks;
    VEC(uint32_t) user_count;
    VEC(uint32_t) unused;
};

static uint32_t pool_take(struct pool *p)
{
    if (p->unused.count > 0) {
        const uint32_t clock = vec_pop(&p->unused);
        p->user_count.at[clock] = 1;
        return clock;
    }
    vec_push(&p->clocks, arena_array(p->arena, uint32_t, p->width));
    vec_push(&p->user_count, 1);
    return (uint32_t)p->clocks.count - 1;
}

static void pool_keep(struct pool *p, uint32_t clock)
{
    p->user_count.at[clock]++;
}

static void pool_drop(struct pool *p, uint32_t clock)
{
    must(p->user_count.at[clock] > 0);
    if (--p->user_count.at[clock] == 0) {
        vec_push(&p->unused, clock);
    }
}

static void pool_release(struct pool *p)
{
    vec_release(&p->clocks);
    vec_release(&p->user_count);
    vec_release(&p->unused);
}

/* The knowledge at a point: a clock, and separately the count of the task's own main chain, which
 * changes with every event of it. */
struct knowledge {
    uint32_t clock;
    uint32_t own;
};

/* Edges still to be swept, by their places among all: at, at + stride, ... up to end. */
struct lane {
    uint32_t at;
    uint32_t end;
};

/* The position of the sweep in a context. */
struct stand {
    uint32_t done;       /* events swept */
    struct lane in, out; /* in the direction of the sweep */
    struct knowledge now;
    uint32_t row;
    bool is_sharing; /* a handler whose knowledge equals that of its main chain at the event it
                        hangs off */
};

struct sweep {
    struct reach *r;
    const struct contexts *c;
    const struct graph_end *in, *out; /* the edges, in the direction of the sweep */
    bool is_backward;
    uint32_t stride; /* from an edge to the next: 1, or -1 backward */
    uint32_t event_count;
    struct pool pool;
    struct stand *stands; /* per context */
    /* Per task: the joint knowledge of its handlers since the last main event, or behind the next
     * one when backward. They all lead to the same main event, so one clock is kept for them. */
    struct knowledge *gathered;
    struct knowledge *sent; /* per edge, by its place in out: the knowledge it carries */
    uint32_t *row;          /* per event */
    uint32_t *heard;        /* per edge, by its place in in */
    uint32_t due; /* the number of events of the list, in the direction, that may be swept */
    VEC(uint32_t) resumable; /* contexts that were blocked and may be free now */
};

/* ---- the graph in the direction of the sweep ---- */

/* The main event a handler hangs off, in this direction; EVENT_NONE for none, and for main chains.
 */
static event_id hang_of(const struct reach *r, uint32_t context)
{
    const struct context *handler = &r->contexts->list[context];
    return r->direction == REACH_BEFORE ? handler->hang : handler->next;
}

static event_id next_event(const struct sweep *s, uint32_t context)
{
    const uint32_t done = s->stands[context].done;
    const uint32_t count = s->c->list[context].count;
    return context_event(s->c, context, s->is_backward ? count - 1 - done : done);
}

static bool is_due(const struct sweep *s, event_id id)
{
    return (s->is_backward ? s->event_count - 1 - id : id) < s->due;
}

static bool is_swept(const struct sweep *s, event_id id)
{
    const uint32_t context = s->c->of[id];
    const uint32_t position = s->c->position[id];
    const uint32_t count = s->c->list[context].count;
    return (s->is_backward ? count - 1 - position : position) < s->stands[context].done;
}

/* The edges of a context, whose places start at first[context]. */
static struct lane lane_of(const struct sweep *s, const uint32_t *first, uint32_t context)
{
    return s->is_backward ? (struct lane){first[context + 1] - 1, first[context] - 1}
                          : (struct lane){first[context], first[context + 1]};
}

/* ---- joining ---- */

static void row_new(struct sweep *s, uint32_t context)
{
    struct stand *stand = &s->stands[context];
    const uint32_t task = s->c->list[context].task;
    const struct reach *r = s->r;
    struct reach_group *group = &r->groups[r->group_of[task]];
    const size_t used = group->counts.count;
    vec_reserve(&group->counts, used + group->width);
    group->counts.count += group->width;
    uint32_t *row = group->counts.at + used;
    const uint32_t *clock = s->pool.clocks.at[stand->now.clock];
    for (uint32_t i = 0; i < group->width; i++) {
        row[i] = clock[r->tasks[group->first + i]];
    }
    row[r->slot_of[task]] = stand->now.own;
    must(group->width > 0);
    must(used / group->width < UINT32_MAX);
    stand->row = (uint32_t)(used / group->width);
}

/* The pointwise maximum of two clocks, into the first. */
static void clock_raise(uint32_t *restrict clock, const uint32_t *restrict other, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) {
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
    }
}

/* Joins the knowledge at an event of more_task into that at an event of task. */
static void know(struct sweep *s, struct knowledge *now, uint32_t task,
                 const struct knowledge *more, uint32_t more_task)
{
    uint32_t *clock = s->pool.clocks.at[now->clock];
    if (more->clock != CLOCK_NOTHING) {
        clock_raise(clock, s->pool.clocks.at[more->clock], s->pool.width);
    }
    clock[more_task] = clock[more_task] > more->own ? clock[more_task] : more->own;
    now->own = now->own > clock[task] ? now->own : clock[task];
}

/* An unshared clock equal to this one, whose reference is dropped. */
static uint32_t clock_own(struct pool *p, uint32_t clock)
{
    if (p->user_count.at[clock] == 1) {
        return clock;
    }
    const uint32_t fresh = pool_take(p);
    memcpy(p->clocks.at[fresh], p->clocks.at[clock], p->width * sizeof(uint32_t));
    pool_drop(p, clock);
    return fresh;
}

/* Whether an edge of this kind leads from a handler to the main event that all handlers beside it
 * lead to. (SPIDER's handlers hang off their receives, each off its own.) */
static bool is_gathered(const struct sweep *s, uint32_t context, enum edge_kind kind)
{
    const struct context *handler = &s->c->list[context];
    return context_is_handler(s->c, context) && handler->hang != handler->receive &&
           kind == (s->is_backward ? EDGE_HANDLER : EDGE_HANDLED);
}

static void gather(struct sweep *s, uint32_t context)
{
    const uint32_t task = s->c->list[context].task;
    struct knowledge *all = &s->gathered[task];
    all->clock = clock_own(&s->pool, all->clock);
    know(s, all, task, &s->stands[context].now, task);
}

/* Joins the knowledge of the handlers that lead to a main event into it. */
static void take_gathered(struct sweep *s, uint32_t task)
{
    struct knowledge *all = &s->gathered[task];
    if (all->clock != CLOCK_NOTHING) {
        know(s, &s->stands[task].now, task, all, task);
        pool_drop(&s->pool, all->clock);
        *all = (struct knowledge){.clock = CLOCK_NOTHING};
    }
}

/* Joins the knowledge that the edges into the next event carry. */
static void join(struct sweep *s, uint32_t context, uint32_t edge_count)
{
    struct stand *stand = &s->stands[context];
    const uint32_t task = s->c->list[context].task;
    uint32_t place = stand->in.at;
    stand->in.at += edge_count * s->stride;
    if (stand->done == 0 && edge_count == 1 && s->in[place].event == hang_of(s->r, context)) {
        /* A handler with the knowledge of its main chain shares its clock and row. */
        pool_drop(&s->pool, stand->now.clock);
        stand->now = s->sent[s->in[place].twin];
        stand->row = s->row[s->in[place].event];
        stand->is_sharing = true;
        s->heard[place] = stand->now.own;
        return;
    }
    stand->now.clock = clock_own(&s->pool, stand->now.clock);
    stand->is_sharing = false;
    for (; place != stand->in.at; place += s->stride) {
        const struct knowledge *sent = &s->sent[s->in[place].twin];
        const uint32_t source = s->c->of[s->in[place].event];
        const uint32_t from = s->c->list[source].task;
        if (is_gathered(s, source, s->in[place].kind)) {
            take_gathered(s, task);
        }
        s->heard[place] = from == task ? sent->own : s->pool.clocks.at[sent->clock][task];
        know(s, &stand->now, task, sent, from);
        pool_drop(&s->pool, sent->clock);
    }
    row_new(s, context);
}

/* ---- sweeping ---- */

enum { NOT_READY = -1 };

/* The number of edges into the event at this position, which is next, or NOT_READY while one comes
 * from an event that is not swept. */
static int64_t ready_edges(const struct sweep *s, struct lane in, uint32_t position)
{
    uint32_t count = 0;
    for (; in.at != in.end && s->in[in.at].position == position; in.at += s->stride) {
        if (!is_swept(s, s->in[in.at].event)) {
            return NOT_READY;
        }
        count++;
    }
    return count;
}

static void send_out(struct sweep *s, uint32_t context, uint32_t position)
{
    struct stand *stand = &s->stands[context];
    struct lane *out = &stand->out;
    for (; out->at != out->end && s->out[out->at].position == position; out->at += s->stride) {
        const event_id to = s->out[out->at].event;
        if (s->r->scope != REACH_NONE) {
            struct knowledge *sent = &s->sent[out->at];
            *sent = stand->now;
            /* A clock carried here would stay alive per handler. The knowledge that a handler
             * shares with its main chain is known there already. */
            if (is_gathered(s, context, s->out[out->at].kind)) {
                if (!stand->is_sharing) {
                    gather(s, context);
                }
                sent->clock = CLOCK_NOTHING;
            }
            pool_keep(&s->pool, sent->clock);
        }
        if (is_due(s, to)) {
            vec_push(&s->resumable, s->c->of[to]);
        }
    }
}

/* Sweeps an event, the next of its context; false when it has to wait. */
static bool step(struct sweep *s, event_id id)
{
    const uint32_t context = s->c->of[id];
    struct stand *stand = &s->stands[context];
    const uint32_t position = s->c->position[id];
    const int64_t edge_count = ready_edges(s, stand->in, position);
    if (edge_count == NOT_READY) {
        return false;
    }
    if (s->r->scope != REACH_NONE) {
        if (!context_is_handler(s->c, context)) {
            stand->now.own = stand->done + 1;
        }
        if (edge_count > 0) {
            join(s, context, (uint32_t)edge_count);
        }
        s->row[id] = stand->row;
    } else {
        stand->in.at += (uint32_t)edge_count * s->stride;
    }
    stand->done++;
    send_out(s, context, position);
    if (stand->done == s->c->list[context].count) {
        pool_drop(&s->pool, stand->now.clock);
    }
    return true;
}

/* Advances in a context up to `due`. */
static void go_on(struct sweep *s, uint32_t context)
{
    bool has_stepped = true;
    while (has_stepped && s->stands[context].done < s->c->list[context].count) {
        const event_id id = next_event(s, context);
        has_stepped = is_due(s, id) && step(s, id);
    }
}

/* Sweeps in listed order as far as the edges allow, so that few clocks live at once; a blocked
 * context resumes when its predecessors were swept. */
static event_id sweep_all(struct sweep *s)
{
    for (uint32_t i = 0; i < s->event_count; i++) {
        const event_id id = s->is_backward ? s->event_count - 1 - i : i;
        s->due = i + 1;
        go_on(s, s->c->of[id]);
        while (s->resumable.count > 0) {
            go_on(s, vec_pop(&s->resumable));
        }
    }
    for (uint32_t context = 0; context < s->c->count; context++) {
        if (s->stands[context].done < s->c->list[context].count) {
            return next_event(s, context);
        }
    }
    return EVENT_NONE;
}

/* ---- setup ---- */

/* Marks the names of memory that processes share; false, and nothing taken, when there are none. */
static bool mark_shared(const struct trace *t, struct bits *shared, struct arena *a)
{
    const struct names *names = &t->tables.names;
    bool is_any = false;
    for (uint32_t i = 1; i < names->list.count; i++) {
        if (names->list.at[i].text != NULL && scope_is_whole(names, i)) {
            *shared = is_any ? *shared : bits_take(a, names->list.count);
            bits_add(*shared, i);
            is_any = true;
        }
    }
    return is_any;
}

/* The nodes whose tasks share memory with other nodes, as a set of names; the map is the caller's.
 */
static struct map sharing_nodes(const struct trace *t, struct arena *a)
{
    struct map nodes = {0};
    struct bits shared = {0};
    if (mark_shared(t, &shared, a)) {
        trace_each (t, e) {
            if (bits_has(shared, e->object)) {
                map_put(&nodes, trace_node_of(t, e), 1);
            }
        }
    }
    return nodes;
}

static void group_by_node(struct reach *r, const struct trace *t, struct arena *a)
{
    const uint32_t task_count = r->contexts->task_count;
    uint32_t *group_of = arena_array(a, uint32_t, (size_t)task_count + 1);
    uint32_t *slot_of = arena_array(a, uint32_t, (size_t)task_count + 1);
    uint32_t *tasks = arena_array(a, uint32_t, (size_t)task_count + 1);
    r->groups = arena_array(a, struct reach_group, (size_t)task_count + 1);
    struct map group_of_node = {0};
    struct map sharing = r->scope == REACH_NODE ? sharing_nodes(t, a) : (struct map){0};
    for (uint32_t task = 0; task < task_count; task++) {
        const uint32_t own = r->scope == REACH_NODE ? t->tables.tasks.at[task].node : 0;
        const uint32_t node = map_get(&sharing, own) != NULL ? SCOPE_WHOLE_TRACE : own;
        group_of[task] = *map_slot(&group_of_node, node, r->group_count, NULL);
        r->group_count = (uint32_t)group_of_node.entries.count;
        slot_of[task] = r->groups[group_of[task]].width++;
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < r->group_count; i++) {
        r->groups[i].first = first;
        first += r->groups[i].width;
        vec_reserve(&r->groups[i].counts, r->groups[i].width);
        memset(r->groups[i].counts.at, 0, r->groups[i].width * sizeof(uint32_t));
        r->groups[i].counts.count = r->groups[i].width;
    }
    for (uint32_t task = 0; task < task_count; task++) {
        tasks[r->groups[group_of[task]].first + slot_of[task]] = task;
    }
    map_release(&group_of_node);
    map_release(&sharing);
    r->group_of = group_of;
    r->slot_of = slot_of;
    r->tasks = tasks;
}

event_id reach_build(struct reach *r, const struct graph *g, const struct trace *t,
                     enum reach_direction direction, enum reach_scope scope, struct arena *a)
{
    const struct contexts *c = g->contexts;
    const uint32_t event_count = (uint32_t)t->events.count;
    *r = (struct reach){.contexts = c, .direction = direction, .scope = scope};
    const bool is_backward = direction == REACH_AFTER;
    struct arena scratch = {0};
    struct sweep s = {
        .r = r,
        .c = c,
        .in = is_backward ? g->out : g->in,
        .out = is_backward ? g->in : g->out,
        .is_backward = is_backward,
        .stride = is_backward ? UINT32_MAX : 1,
        .event_count = event_count,
        .pool = {.width = c->task_count, .arena = &scratch},
        .stands = arena_array(&scratch, struct stand, (size_t)c->count + 1),
    };
    for (uint32_t context = 0; context < c->count; context++) {
        s.stands[context].in = lane_of(&s, is_backward ? g->out_first : g->in_first, context);
        s.stands[context].out = lane_of(&s, is_backward ? g->in_first : g->out_first, context);
    }
    if (scope != REACH_NONE) {
        group_by_node(r, t, a);
        s.sent = arena_array(&scratch, struct knowledge, g->edge_count + 1);
        s.gathered = arena_array(&scratch, struct knowledge, (size_t)c->task_count + 1);
        s.row = arena_array(a, uint32_t, (size_t)event_count + 1);
        s.heard = arena_array(a, uint32_t, g->edge_count + 1);
    }
    const uint32_t nothing = pool_take(&s.pool);
    must(nothing == CLOCK_NOTHING);
    s.pool.user_count.at[nothing] = UINT32_MAX / 2;
    const event_id blocked = sweep_all(&s);
    uint32_t *swept = arena_array(a, uint32_t, (size_t)c->count + 1);
    for (uint32_t context = 0; context < c->count; context++) {
        swept[context] = s.stands[context].done;
    }
    pool_release(&s.pool);
    vec_release(&s.resumable);
    arena_release(&scratch);
    r->swept = swept;
    r->row = s.row;
    r->heard = s.heard;
    return blocked;
}

void reach_release(struct reach *r)
{
    for (uint32_t i = 0; i < r->group_count; i++) {
        vec_release(&r->groups[i].counts);
    }
    *r = (struct reach){0};
}

/* ---- queries ---- */

static uint32_t count_on_chain(const struct reach *r, event_id id)
{
    const uint32_t position = r->contexts->position[id];
    return r->direction == REACH_BEFORE ? position + 1
                                        : r->contexts->list[r->contexts->of[id]].count - position;
}

uint32_t reach_count(const struct reach *r, event_id id, uint32_t task)
{
    must(r->row != NULL);
    const uint32_t context = r->contexts->of[id];
    const uint32_t own_task = r->contexts->list[context].task;
    if (task == own_task) {
        const event_id hang = context_is_handler(r->contexts, context) ? hang_of(r, context) : id;
        if (hang != EVENT_NONE && r->row[hang] == r->row[id]) {
            return count_on_chain(r, hang);
        }
    }
    const uint32_t group = r->group_of[own_task];
    must(r->group_of[task] == group);
    const struct reach_group *g = &r->groups[group];
    return g->counts.at[(size_t)r->row[id] * g->width + r->slot_of[task]];
}

const uint32_t *reach_row(const struct reach *r, event_id id)
{
    must(r->row != NULL);
    const uint32_t own_task = r->contexts->list[r->contexts->of[id]].task;
    const struct reach_group *g = &r->groups[r->group_of[own_task]];
    return g->counts.at + (size_t)r->row[id] * g->width;
}
