#include "race/compat/spider_order.h"

#include "base/bits.h"
#include "base/map.h"
#include "base/sort.h"
#include "order/bucket.h"
#include "wire/kind.h"
#include "wire/must.h"

struct build {
    struct spider_order *s;
    const struct trace *t;
    struct limit_watch *watch;
    struct arena scratch;
    struct bits is_dropped; /* LOCKs of a lock that any task already holds; pruned events */
    struct bits ends;       /* UNLOCKs that end a section */
    event_id *by_time;      /* events in the order of their times, without those dropped ... */
    size_t by_time_count;
    struct buckets by_task; /* ... and per task */
};

/* ---- sections ---- */

/* The last section of a lock, of any task, is open until the next UNLOCK; a LOCK before that is
 * dropped, and a further UNLOCK moves its end. */
static void read_sections(struct build *b)
{
    struct map last = {0}; /* name of the lock to its last section */
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (e->kind != EVENT_LOCK && e->kind != EVENT_UNLOCK) {
            continue;
        }
        bool is_new = false;
        uint32_t *number = map_slot(&last, e->object, 0, &is_new);
        struct spider_section *section = is_new ? NULL : &b->s->sections.at[*number];
        if (e->kind == EVENT_UNLOCK && section != NULL) {
            section->end = id;
        } else if (section == NULL || section->end != EVENT_NONE) {
            *number = (uint32_t)b->s->sections.count;
            const bool is_lock = e->kind == EVENT_LOCK;
            vec_push(&b->s->sections, (struct spider_section){.lock = e->object,
                                                              .begin = is_lock ? id : EVENT_NONE,
                                                              .end = is_lock ? EVENT_NONE : id});
        } else {
            bits_add(b->is_dropped, id);
        }
    }
    map_release(&last);
    vec_each (&b->s->sections, section) {
        if (section->end != EVENT_NONE) {
            bits_add(b->ends, section->end);
        }
    }
}

/* ---- contexts ---- */

struct timed {
    int64_t time;
    event_id event;
};

static int by_time(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct timed *a = left;
    const struct timed *b = right;
    return (a->time > b->time) - (a->time < b->time);
}

/* A task's events by their times, as listed where those are equal. One without has that of the one
 * before it. */
static void sort_events(struct build *b)
{
    const size_t event_count = b->t->events.count;
    struct timed *all = arena_array(&b->scratch, struct timed, event_count + 1);
    int64_t *last = arena_array(&b->scratch, int64_t, b->t->tables.tasks.count + 1);
    struct bucket_items items = {0};
    for (event_id id = 0; id < event_count; id++) {
        const struct event *e = &b->t->events.at[id];
        last[e->task] = (e->has & HAS_TIME) != 0 ? e->time : last[e->task];
        all[id] = (struct timed){.time = last[e->task], .event = id};
    }
    sort_stable(all, event_count, sizeof *all, by_time, NULL);
    b->by_time = arena_array(&b->scratch, event_id, event_count + 1);
    b->by_time_count = 0;
    for (size_t i = 0; i < event_count; i++) {
        if (!bits_has(b->is_dropped, all[i].event)) {
            b->by_time[b->by_time_count++] = all[i].event;
            bucket_add(&items, b->t->events.at[all[i].event].task, all[i].event);
        }
    }
    must(b->by_time_count == items.list.count);
    b->by_task = buckets_sort(&items, (uint32_t)b->t->tables.tasks.count, &b->scratch);
    vec_release(&items.list);
}

/* Which handler an event is in, counted within its task from 1; 0 on the main chain. */
static uint32_t *split_handlers(struct build *b, uint32_t *handler_count)
{
    uint32_t *handler_of = arena_array(&b->scratch, uint32_t, b->t->events.count + 1);
    for (uint32_t task = 0; task < b->t->tables.tasks.count; task++) {
        const struct bucket events = bucket_at(&b->by_task, task);
        bool is_in_handler = false;
        for (uint32_t i = 0; i < events.count; i++) {
            const uint16_t kind = b->t->events.at[events.at[i]].kind;
            const bool follows_receive =
                i > 0 && b->t->events.at[events.at[i - 1]].kind == EVENT_RECV;
            if (kind == EVENT_HANDLER_BEGIN && follows_receive && !is_in_handler) {
                is_in_handler = true;
                ++*handler_count;
            }
            handler_of[events.at[i]] = is_in_handler ? *handler_count : 0;
            is_in_handler = is_in_handler && kind != EVENT_HANDLER_END;
        }
    }
    return handler_of;
}

/* ---- pruning ---- */

static void leave_out(struct build *b)
{
    uint32_t handler_count = 0;
    const struct spider_prune_input input = {
        .t = b->t,
        .by_time = b->by_time,
        .event_count = b->by_time_count,
        .by_task = b->by_task,
        .handler_of = split_handlers(b, &handler_count),
        .sections = b->s->sections.at,
        .section_count = b->s->sections.count,
    };
    spider_prune(&b->s->pruned, &input, &b->s->hb.arena);
    for (size_t i = 0; i < b->by_time_count; i++) {
        if (bits_has(b->s->pruned.events, b->by_time[i])) {
            bits_add(b->is_dropped, b->by_time[i]);
        }
    }
    size_t kept = 0;
    vec_each (&b->s->sections, s) {
        const bool is_gone = (s->begin != EVENT_NONE && bits_has(b->is_dropped, s->begin)) ||
                             (s->end != EVENT_NONE && bits_has(b->is_dropped, s->end));
        b->s->sections.at[kept] = *s;
        kept += !is_gone;
    }
    must(kept <= b->s->sections.count);
    b->s->sections.count = kept;
    sort_events(b);
}

static void build_contexts(struct build *b)
{
    struct hb *hb = &b->s->hb;
    const uint32_t task_count = (uint32_t)b->t->tables.tasks.count;
    const size_t event_count = b->t->events.count;
    uint32_t handler_count = 0;
    const uint32_t *handler_of = split_handlers(b, &handler_count);
    struct context *list =
        arena_array(&hb->arena, struct context, (size_t)task_count + handler_count + 1);
    uint32_t *of = arena_array(&hb->arena, uint32_t, event_count + 1);
    uint32_t *position = arena_array(&hb->arena, uint32_t, event_count + 1);
    event_id *members = arena_array(&hb->arena, event_id, event_count + 1);
    for (event_id id = 0; id < event_count; id++) {
        of[id] = b->t->events.at[id].task;
    }
    for (uint32_t task = 0; task < task_count; task++) {
        const struct bucket events = bucket_at(&b->by_task, task);
        list[task] = (struct context){
            .task = task, .receive = EVENT_NONE, .hang = EVENT_NONE, .next = EVENT_NONE};
        for (uint32_t i = 0; i < events.count; i++) {
            const event_id id = events.at[i];
            of[id] = handler_of[id] == 0 ? task : task_count + handler_of[id] - 1;
            if (of[id] != task && list[of[id]].count == 0) {
                list[of[id]] = (struct context){.task = task,
                                                .receive = events.at[i - 1],
                                                .hang = events.at[i - 1],
                                                .next = EVENT_NONE};
                edges_add(&hb->edges, events.at[i - 1], id, EDGE_HANDLER);
            }
            position[id] = list[of[id]].count++;
        }
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < task_count + handler_count; i++) {
        list[i].first = first;
        first += list[i].count;
    }
    for (event_id id = 0; id < event_count; id++) {
        if (!bits_has(b->is_dropped, id)) {
            members[list[of[id]].first + position[id]] = id;
        }
    }
    hb->contexts = (struct contexts){
        .task_count = task_count,
        .count = task_count + handler_count,
        .list = list,
        .of = of,
        .position = position,
        .members = members,
    };
}

/* ---- tasks and messages ---- */

static void add_tasks(struct build *b)
{
    struct map starts = {0}; /* task to its last START */
    struct map ends = {0};
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (e->kind == EVENT_THREAD_START) {
            map_put(&starts, e->task, id);
        } else if (e->kind == EVENT_THREAD_END) {
            map_put(&ends, e->task, id);
        }
    }
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        const bool is_create = e->kind == EVENT_THREAD_CREATE;
        if ((is_create || e->kind == EVENT_THREAD_JOIN) && (e->has & HAS_PEER) != 0 &&
            !bits_has(b->is_dropped, id)) {
            const uint32_t *other = map_get(is_create ? &starts : &ends, e->peer);
            b->s->constraints++;
            if (other != NULL) {
                spider_order_add(b->s, is_create ? id : *other, is_create ? *other : id);
            }
        }
    }
    map_release(&starts);
    map_release(&ends);
}

/* Bytes of a TCP channel that wait for the other side. */
struct waiting {
    VEC(event_id) sends, receives;
    size_t send_done, receive_done;
};

typedef VEC(struct waiting) waiting_vec;

/* The one TCP message being put together, whatever its channel. */
struct current {
    bool is_begun;
    struct spider_message m;
    uint64_t sent, received;
};

static void current_take(const struct trace *t, struct current *c, event_id id)
{
    const struct event *e = trace_at(t, id);
    c->is_begun = true;
    if (e->kind == EVENT_SEND) {
        c->m.send = c->m.send == EVENT_NONE ? id : c->m.send;
        c->sent += e->size;
    } else {
        c->m.receive = c->m.receive == EVENT_NONE ? id : c->m.receive;
        c->received += e->size;
    }
}

static void current_fill(const struct trace *t, struct current *c, struct waiting *w)
{
    for (;;) {
        const bool wants_send = w->send_done < w->sends.count && c->received > c->sent;
        const bool wants_receive = w->receive_done < w->receives.count && c->sent > c->received;
        if (wants_send) {
            current_take(t, c, w->sends.at[w->send_done++]);
        } else if (wants_receive) {
            current_take(t, c, w->receives.at[w->receive_done++]);
        } else {
            return;
        }
    }
}

static void read_tcp(struct build *b, struct current *c, struct waiting *w, event_id id)
{
    const bool is_send = trace_at(b->t, id)->kind == EVENT_SEND;
    const bool has_other =
        is_send ? w->receive_done < w->receives.count : w->send_done < w->sends.count;
    if (!has_other && !c->is_begun) {
        if (is_send) {
            vec_push(&w->sends, id);
        } else {
            vec_push(&w->receives, id);
        }
        return;
    }
    current_take(b->t, c, id);
    current_fill(b->t, c, w);
    if (c->sent == c->received) {
        if (c->m.send != EVENT_NONE && c->m.receive != EVENT_NONE) {
            vec_push(&b->s->messages, c->m);
        }
        *c = (struct current){.m = {EVENT_NONE, EVENT_NONE, true}};
    }
}

static void read_udp(struct build *b, struct map *number_of, event_id id)
{
    const struct event *e = trace_at(b->t, id);
    bool is_new = false;
    const uint32_t number =
        *map_slot(number_of, e->message, (uint32_t)b->s->messages.count, &is_new);
    if (is_new) {
        vec_push(&b->s->messages, (struct spider_message){EVENT_NONE, EVENT_NONE, false});
    }
    struct spider_message *m = &b->s->messages.at[number];
    event_id *end = e->kind == EVENT_SEND ? &m->send : &m->receive;
    *end = *end == EVENT_NONE ? id : *end;
}

static void read_messages(struct build *b)
{
    struct map number_of = {0};  /* message of a datagram to its number */
    struct map channel_of = {0}; /* TCP channel to number */
    waiting_vec channels = {0};
    struct current current = {.m = {EVENT_NONE, EVENT_NONE, true}};
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (e->kind != EVENT_SEND && e->kind != EVENT_RECV) {
            continue;
        }
        if (e->mode != TRANSPORT_TCP) {
            read_udp(b, &number_of, id);
            continue;
        }
        bool is_new = false;
        const uint32_t channel =
            *map_slot(&channel_of, e->object, (uint32_t)channels.count, &is_new);
        if (is_new) {
            vec_push(&channels, (struct waiting){0});
        }
        read_tcp(b, &current, &channels.at[channel], id);
    }
    if (current.m.send != EVENT_NONE && current.m.receive != EVENT_NONE) {
        vec_push(&b->s->messages, current.m);
    }
    size_t kept = 0;
    vec_each (&b->s->messages, m) {
        if (m->send != EVENT_NONE && m->receive != EVENT_NONE) {
            b->s->messages.at[kept++] = *m;
            spider_order_add(b->s, m->send, m->receive);
        }
    }
    b->s->messages.count = kept;
    vec_each (&channels, w) {
        vec_release(&w->sends);
        vec_release(&w->receives);
    }
    vec_release(&channels);
    map_release(&number_of);
    map_release(&channel_of);
}

/* ---- locks ---- */

static bool have_two_tasks(const struct build *b, const struct spider_section *a,
                           const struct spider_section *other)
{
    return a->lock == other->lock && a->begin != EVENT_NONE && other->begin != EVENT_NONE &&
           trace_at(b->t, a->begin)->task != trace_at(b->t, other->begin)->task;
}

/* One round over all pairs of sections; true when it added something. */
static bool saturate_once(struct build *b)
{
    bool has_new = false;
    vec_each (&b->s->sections, first) {
        if (limit_is_over(b->watch, (uint32_t)b->s->sections.count)) {
            return false;
        }
        vec_each (&b->s->sections, second) {
            b->s->has_shared_locks |= have_two_tasks(b, first, second);
            if (!have_two_tasks(b, first, second) || first->end == EVENT_NONE ||
                second->end == EVENT_NONE) {
                continue;
            }
            const bool is_forced =
                first->begin == second->end || hb_is_before(&b->s->hb, first->begin, second->end);
            if (is_forced && first->end != second->begin &&
                !hb_is_before(&b->s->hb, first->end, second->begin)) {
                spider_order_add(b->s, first->end, second->begin);
                has_new = true;
            }
        }
    }
    return has_new;
}

static uint32_t hold(struct spider_order *s, uint32_t chain, uint64_t lock)
{
    vec_push(&s->held, (struct map_entry){.key = lock, .value = chain});
    return (uint32_t)s->held.count - 1;
}

/* The chain without this lock. */
static uint32_t let_go(struct spider_order *s, uint32_t chain, uint64_t lock)
{
    uint32_t rest = 0;
    for (uint32_t at = chain; at != 0; at = s->held.at[at].value) {
        if (s->held.at[at].key != lock) {
            rest = hold(s, rest, s->held.at[at].key);
        }
    }
    return rest;
}

static void read_held(struct build *b)
{
    uint32_t *held_of = arena_array(&b->s->hb.arena, uint32_t, b->t->events.count + 1);
    vec_push(&b->s->held, (struct map_entry){0});
    for (uint32_t task = 0; task < b->t->tables.tasks.count; task++) {
        const struct bucket events = bucket_at(&b->by_task, task);
        uint32_t now = 0;
        for (uint32_t i = 0; i < events.count; i++) {
            const struct event *e = trace_at(b->t, events.at[i]);
            if (e->kind == EVENT_LOCK) {
                now = hold(b->s, now, e->object);
            } else if (e->kind == EVENT_UNLOCK && bits_has(b->ends, events.at[i])) {
                now = let_go(b->s, now, e->object);
            }
            held_of[events.at[i]] = now;
        }
    }
    b->s->held_of = held_of;
}

bool spider_order_excludes(const struct spider_order *s, event_id a, event_id b)
{
    for (uint32_t i = s->held_of[a]; s->has_shared_locks && i != 0; i = s->held.at[i].value) {
        for (uint32_t k = s->held_of[b]; k != 0; k = s->held.at[k].value) {
            if (s->held.at[i].key == s->held.at[k].key) {
                return true;
            }
        }
    }
    return false;
}

/* ---- all of it ---- */

void spider_order_add(struct spider_order *s, event_id from, event_id to)
{
    if (from != to) {
        edges_add(&s->hb.edges, from, to, EDGE_GIVEN);
    }
}

void spider_order_settle(struct spider_order *s)
{
    s->has_cycle = s->has_cycle || hb_rebuild(&s->hb) != EVENT_NONE;
}

/* Counts SPIDER's constraints: one for the range of the clocks; one for the program order of each
 * task of two events or more, and of each handler; one that ties each handler to its receive; one
 * for each message; one for every two sections of a lock by two tasks. Those for creations and
 * joins are counted already. */
static void count_constraints(struct build *b)
{
    const struct contexts *c = &b->s->hb.contexts;
    uint64_t count = 1 + 2 * (uint64_t)(c->count - c->task_count) + b->s->messages.count;
    for (uint32_t task = 0; task < c->task_count; task++) {
        count += bucket_at(&b->by_task, task).count > 1;
    }
    struct map of_lock = {0}; /* sections so far, by lock ... */
    struct map of_task = {0}; /* ... and by lock and task */
    vec_each (&b->s->sections, section) {
        if (section->begin != EVENT_NONE) {
            const uint32_t task = trace_at(b->t, section->begin)->task;
            const uint32_t all = (*map_slot(&of_lock, section->lock, 0, NULL))++;
            count += all - (*map_slot(&of_task, map_pair(section->lock, task), 0, NULL))++;
        }
    }
    map_release(&of_lock);
    map_release(&of_task);
    b->s->constraints += count;
}

void spider_order_build(struct spider_order *s, const struct trace *t,
                        const struct spider_order_options *o)
{
    *s = (struct spider_order){.hb = {.trace = t}};
    s->hb.scope = REACH_ALL;
    struct build b = {.s = s, .t = t, .watch = o->watch};
    b.is_dropped = bits_take(&b.scratch, t->events.count + 1);
    b.ends = bits_take(&b.scratch, t->events.count + 1);
    read_sections(&b);
    sort_events(&b);
    if (o->prunes) {
        leave_out(&b);
    }
    build_contexts(&b);
    add_tasks(&b);
    read_messages(&b);
    count_constraints(&b);
    read_held(&b);
    do {
        spider_order_settle(s);
    } while (!s->has_cycle && saturate_once(&b));
    arena_release(&b.scratch);
}

void spider_order_release(struct spider_order *s)
{
    vec_release(&s->sections);
    vec_release(&s->messages);
    vec_release(&s->held);
    hb_release(&s->hb);
}
