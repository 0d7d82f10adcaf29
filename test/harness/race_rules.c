#include "race_rules.h"

#include <string.h>

#include "race_rules_parts.h"
#include "trace/channel.h"
#include "trace/kind_table.h"

void rules_release(struct rules *r)
{
    vec_release(&r->handlers);
    vec_release(&r->sections);
    vec_release(&r->waits);
    vec_release(&r->semaphore_waits);
    vec_release(&r->messages);
    vec_release(&r->routines);
    vec_release(&r->program);
    vec_release(&r->cross);
    vec_release(&r->observed);
    vec_release(&r->stream);
    vec_release(&r->lined_up);
    vec_release(&r->data_candidates);
    vec_release(&r->message_candidates);
    vec_release(&r->is_pool);
    arena_release(&r->arena);
}

uint64_t rules_object(const struct trace *t, const struct event *e, uint32_t object)
{
    const char *name = trace_name(t, object);
    const bool is_whole = strncmp(name, "shm:", 4) == 0 || strncmp(name, "eventfd#", 8) == 0;
    return map_pair(is_whole ? UINT32_MAX : trace_node_of(t, e), object);
}

bool rules_event_is_blind(const struct event *e)
{
    return (e->kind == EVENT_ATOMIC_RMW || e->kind == EVENT_READ) && e->mode > MEMORY_SEQ_CST;
}

bool rules_event_updates(const struct event *e)
{
    return (e->kind == EVENT_ATOMIC_RMW || e->kind == EVENT_WRITE) && e->mode > MEMORY_SEQ_CST &&
           e->mode / UPDATE_ADD != UPDATE_SET / UPDATE_ADD;
}

bool rules_event_reads(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_LOAD ||
           ((e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_RMW) && !rules_event_is_blind(e));
}

bool rules_event_writes(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

bool rules_event_accesses(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD || rules_event_writes(e);
}

event_id rules_previous(const struct trace *t, event_id id)
{
    for (event_id i = id; i-- > 0;) {
        if (trace_at(t, i)->task == trace_at(t, id)->task) {
            return i;
        }
    }
    return EVENT_NONE;
}

event_id rules_last_before(const struct trace *t, uint32_t task, event_id end)
{
    for (event_id i = end; i-- > 0;) {
        if (trace_at(t, i)->task == task) {
            return i;
        }
    }
    return EVENT_NONE;
}

void rules_edge_add(rules_edges *list, event_id from, event_id to)
{
    if (from != to) {
        vec_push(list, (struct rules_edge){.from = from, .to = to});
    }
}

/* ---- rule 1 ---- */

/* Walks one task: finds the beginnings and ends of its handlers, and the events in them. */
static void read_handlers(struct rules *r, uint32_t task)
{
    uint32_t open = RULES_NONE; /* the handler we are in */
    uint32_t depth = 0;         /* of HANDLER_BEGINs in it that have not ended */
    event_id previous = EVENT_NONE;
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (e->task != task) {
            continue;
        }
        const bool follows_recv =
            previous != EVENT_NONE && trace_at(r->t, previous)->kind == EVENT_RECV;
        if (open == RULES_NONE && e->kind == EVENT_HANDLER_BEGIN && follows_recv) {
            open = (uint32_t)r->handlers.count;
            vec_push(&r->handlers,
                     (struct rules_handler){.task = task, .recv = previous, .first = previous});
            r->handler_of[previous] = open;
        }
        r->handler_of[id] = open;
        if (open != RULES_NONE) {
            r->handlers.at[open].last = id;
            depth += e->kind == EVENT_HANDLER_BEGIN;
            depth -= e->kind == EVENT_HANDLER_END;
            if (depth == 0) {
                r->handlers.at[open].is_ended = true;
                open = RULES_NONE;
            }
        }
        previous = id;
    }
}

static bool is_recv_of_handler(const struct rules *r, event_id id)
{
    vec_each (&r->handlers, h) {
        if (h->recv == id) {
            return true;
        }
    }
    return false;
}

/* A handler comes after the main event before it, and its end before the main event behind it. */
static void order_handler(struct rules *r, const struct rules_handler *h)
{
    for (event_id id = h->first; id-- > 0;) {
        if (trace_at(r->t, id)->task == h->task && r->handler_of[id] == RULES_NONE) {
            rules_edge_add(&r->program, id, h->first);
            break;
        }
    }
    for (event_id id = h->last + 1; id < r->count && h->is_ended; id++) {
        if (trace_at(r->t, id)->task == h->task && r->handler_of[id] == RULES_NONE) {
            rules_edge_add(&r->program, h->last, id);
            break;
        }
    }
}

/* Each event comes after the one before it on its chain. */
static void order_chains(struct rules *r)
{
    for (event_id id = 0; id < r->count; id++) {
        for (event_id before = id; before-- > 0;) {
            if (trace_at(r->t, before)->task == trace_at(r->t, id)->task &&
                r->handler_of[before] == r->handler_of[id]) {
                rules_edge_add(&r->program, before, id);
                break;
            }
        }
    }
    vec_each (&r->handlers, h) {
        order_handler(r, h);
    }
}

/* ---- candidates, writers, cycles ---- */

static void read_writers(struct rules *r)
{
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        r->writer[id] = EVENT_NONE;
        for (event_id w = id; w-- > 0 && rules_event_reads(e);) {
            const struct event *write = trace_at(r->t, w);
            if (rules_event_writes(write) && !rules_event_updates(write) &&
                rules_object(r->t, write, write->object) == rules_object(r->t, e, e->object)) {
                r->writer[id] = w;
                break;
            }
        }
    }
}

static bool is_of_one_variable(const struct rules *r, event_id a, event_id b)
{
    const struct event *x = trace_at(r->t, a);
    const struct event *y = trace_at(r->t, b);
    return rules_object(r->t, x, x->object) == rules_object(r->t, y, y->object);
}

bool rules_saw_update(const struct rules *r, event_id read, event_id update)
{
    return rules_event_updates(trace_at(r->t, update)) && is_of_one_variable(r, read, update) &&
           update < read && (r->writer[read] == EVENT_NONE || r->writer[read] < update);
}

bool rules_updates_conflict(const struct rules *r, event_id a, event_id b)
{
    const struct event *x = trace_at(r->t, a);
    const struct event *y = trace_at(r->t, b);
    return rules_event_updates(x) && rules_event_updates(y) && is_of_one_variable(r, a, b) &&
           (x->mode / UPDATE_ADD != y->mode / UPDATE_ADD || x->size != y->size);
}

static bool are_data_candidate(const struct trace *t, const struct event *a, const struct event *b)
{
    const bool are_accesses = rules_event_accesses(a) && rules_event_accesses(b);
    const bool are_atomic = event_class(a) == CLASS_ATOMIC && event_class(b) == CLASS_ATOMIC;
    if (!are_accesses || are_atomic || a->object == 0) {
        return false;
    }
    return a->task != b->task && (rules_event_writes(a) || rules_event_writes(b)) &&
           rules_object(t, a, a->object) == rules_object(t, b, b->object);
}

/* The address that a message goes to, a part of the channel's name. */
static bool read_address(const struct rules *r, event_id recv, struct channel_part *address)
{
    struct channel c;
    const struct names *names = &r->t->tables.names;
    const uint32_t object = trace_at(r->t, recv)->object;
    if (object == 0 || !channel_parse(&c, names_text(names, object), names_size(names, object))) {
        return false;
    }
    *address = c.destination;
    return c.destination.size > 0;
}

static bool are_to_one_address(const struct rules *r, event_id first, event_id later)
{
    struct channel_part a;
    struct channel_part b;
    return read_address(r, first, &a) && read_address(r, later, &b) && a.size == b.size &&
           memcmp(a.text, b.text, a.size) == 0;
}

static bool are_message_candidate(const struct rules *r, const struct rules_message *first,
                                  const struct rules_message *later)
{
    const bool is_one_channel = first->channel != 0 && first->channel == later->channel;
    if (first->recv >= later->recv || first->send == later->send || is_one_channel) {
        return false;
    }
    return trace_at(r->t, first->recv)->task == trace_at(r->t, later->recv)->task ||
           (is_recv_of_handler(r, first->recv) && is_recv_of_handler(r, later->recv) &&
            are_to_one_address(r, first->recv, later->recv));
}

static void read_candidates(struct rules *r)
{
    for (event_id a = 0; a < r->count; a++) {
        for (event_id b = a + 1; b < r->count; b++) {
            if (!are_data_candidate(r->t, trace_at(r->t, a), trace_at(r->t, b))) {
                continue;
            }
            vec_push(&r->data_candidates, (struct rules_pair){.a = a, .b = b});
        }
    }
    vec_each (&r->messages, first) {
        vec_each (&r->messages, later) {
            if (!are_message_candidate(r, first, later)) {
                continue;
            }
            vec_push(&r->message_candidates,
                     (struct rules_pair){.a = later->send, .b = first->recv});
            vec_push(&r->is_pool,
                     trace_at(r->t, first->recv)->task != trace_at(r->t, later->recv)->task);
        }
    }
}

/* Marks the events that still wait for one that is not done. */
static void block(bool *is_blocked, const rules_edges *edges, const bool *is_done)
{
    vec_each (edges, edge) {
        is_blocked[edge->to] |= !is_done[edge->from];
    }
}

bool rules_have_cycle(const struct rules *r)
{
    bool *is_done = mem_zero(r->count + 1, sizeof *is_done);
    size_t done = 0;
    for (bool progress = true; progress;) {
        progress = false;
        bool *is_blocked = mem_zero(r->count + 1, sizeof *is_blocked);
        block(is_blocked, &r->program, is_done);
        block(is_blocked, &r->cross, is_done);
        for (event_id id = 0; id < r->count; id++) {
            if (!is_done[id] && !is_blocked[id]) {
                is_done[id] = progress = true;
                done++;
            }
        }
        mem_free(is_blocked);
    }
    mem_free(is_done);
    return done < r->count;
}

static void drop_edges_against_the_list(struct rules *r)
{
    size_t kept = 0;
    vec_each (&r->cross, edge) {
        if (edge->from < edge->to) {
            r->cross.at[kept++] = *edge;
        }
    }
    r->dropped = r->cross.count - kept;
    r->cross.count = kept;
}

static bool follow_the_list(const rules_edges *edges)
{
    vec_each (edges, edge) {
        if (edge->from > edge->to) {
            return false;
        }
    }
    return true;
}

const char *rules_broken_by_list(const struct rules *r)
{
    if (!follow_the_list(&r->program) || !follow_the_list(&r->cross) ||
        !follow_the_list(&r->stream) || !follow_the_list(&r->lined_up)) {
        return "an edge goes against the list";
    }
    vec_each (&r->sections, s) {
        vec_each (&r->sections, later) {
            if (rules_exclude(s, later) && s->first < later->first && s->last >= later->first) {
                return "two sections overlap";
            }
        }
    }
    return r->dropped > 0 ? "edges were dropped" : NULL;
}

static void read_all(struct rules *r, const struct trace *t, bool fixes_onces)
{
    *r = (struct rules){.t = t, .count = t->events.count, .fixes_onces = fixes_onces};
    r->handler_of = arena_array(&r->arena, uint32_t, r->count + 1);
    r->writer = arena_array(&r->arena, event_id, r->count + 1);
    for (uint32_t task = 0; task < t->tables.tasks.count; task++) {
        read_handlers(r, task);
    }
    order_chains(r);
    rules_read_threads(r);
    rules_read_network(r);
    rules_read_other(r);
    rules_read_onces(r);
    if (rules_have_cycle(r)) {
        drop_edges_against_the_list(r);
    }
    rules_read_waits(r);
    rules_read_sections(r);
    read_writers(r);
    read_candidates(r);
}

void rules_read(struct rules *r, const struct trace *t)
{
    read_all(r, t, false);
}

void rules_read_fixed(struct rules *r, const struct trace *t)
{
    read_all(r, t, true);
}
