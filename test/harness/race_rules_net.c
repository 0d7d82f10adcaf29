#include "race_rules_parts.h"

#include <string.h>

#include "trace/channel.h"
#include "wire/kind.h"

/* ---- rule 2: threads ---- */

static bool is_about(const struct event *e, enum event_kind kind, uint32_t child)
{
    if (e->kind != kind) {
        return false;
    }
    const bool is_of_parent = kind == EVENT_THREAD_CREATE || kind == EVENT_THREAD_JOIN;
    return is_of_parent ? (e->has & HAS_PEER) != 0 && e->peer == child : e->task == child;
}

/* How many events of this kind speak of the child before `end`. */
static size_t count_about(const struct trace *t, enum event_kind kind, uint32_t child, event_id end)
{
    size_t count = 0;
    for (event_id id = 0; id < end; id++) {
        count += is_about(trace_at(t, id), kind, child);
    }
    return count;
}

/* The k-th of them, from 1; EVENT_NONE when there are fewer. */
static event_id nth_about(const struct trace *t, enum event_kind kind, uint32_t child, size_t k)
{
    for (event_id id = 0; id < t->events.count; id++) {
        if (is_about(trace_at(t, id), kind, child) && --k == 0) {
            return id;
        }
    }
    return EVENT_NONE;
}

static event_id first_of_task(const struct trace *t, uint32_t task)
{
    for (event_id id = 0; id < t->events.count; id++) {
        if (trace_at(t, id)->task == task) {
            return id;
        }
    }
    return EVENT_NONE;
}

static void read_create(struct rules *r, event_id id)
{
    const uint32_t child = trace_at(r->t, id)->peer;
    const size_t k = count_about(r->t, EVENT_THREAD_CREATE, child, id) + 1;
    const bool has_start = nth_about(r->t, EVENT_THREAD_START, child, 1) != EVENT_NONE;
    event_id target = nth_about(r->t, EVENT_THREAD_START, child, k);
    if (!has_start && k == 1) {
        target = first_of_task(r->t, child);
    }
    if (target != EVENT_NONE) {
        rules_edge_add(&r->cross, id, target);
    }
}

static void read_join(struct rules *r, event_id id)
{
    const uint32_t child = trace_at(r->t, id)->peer;
    const size_t ends = count_about(r->t, EVENT_THREAD_END, child, (event_id)r->count);
    const size_t k = count_about(r->t, EVENT_THREAD_JOIN, child, id) + 1;
    if (ends > 0) {
        rules_edge_add(&r->cross, nth_about(r->t, EVENT_THREAD_END, child, k < ends ? k : ends),
                       id);
        return;
    }
    for (event_id of_child = 0; of_child < r->count; of_child++) {
        if (trace_at(r->t, of_child)->task == child) {
            rules_edge_add(&r->cross, of_child, id);
        }
    }
}

void rules_read_threads(struct rules *r)
{
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if ((e->has & HAS_PEER) == 0) {
            continue;
        }
        if (e->kind == EVENT_THREAD_CREATE) {
            read_create(r, id);
        } else if (e->kind == EVENT_THREAD_JOIN) {
            read_join(r, id);
        } else if (e->kind == EVENT_PROCESS_FORK) {
            const event_id first = first_of_task(r->t, e->peer);
            if (first != EVENT_NONE) {
                rules_edge_add(&r->cross, id, first);
            }
        }
    }
}

/* ---- rule 3: streams ---- */

static bool is_stream(const struct event *e)
{
    return e->object != 0 &&
           (e->mode == TRANSPORT_TCP || e->mode == TRANSPORT_UNIX || e->mode == TRANSPORT_PIPE);
}

static bool is_on_stream(const struct rules *r, event_id id, enum event_kind kind, uint32_t channel)
{
    const struct event *e = trace_at(r->t, id);
    return e->kind == kind && is_stream(e) && e->object == channel;
}

static uint64_t bytes_of(const struct event *e)
{
    return (e->has & HAS_SIZE) != 0 ? e->size : 0;
}

/* The place of the event's bytes in its channel. */
struct range {
    uint64_t from, to;
};

static struct range range_of(const struct rules *r, event_id id)
{
    const struct event *e = trace_at(r->t, id);
    struct range range = {0};
    for (event_id before = 0; before < id; before++) {
        if (is_on_stream(r, before, e->kind, e->object)) {
            range.from += bytes_of(trace_at(r->t, before));
        }
    }
    range.to = range.from + bytes_of(e);
    return range;
}

static bool overlap(struct range a, struct range b)
{
    return a.from < b.to && b.from < a.to;
}

/* A task's next RECV on a stream comes after its last one; when it begins a handler, after all of
 * the other handler that the last one is in, since they cannot overlap. */
static void order_stream_recv(struct rules *r, event_id before, event_id recv)
{
    const uint32_t earlier = r->handler_of[before];
    const uint32_t later = r->handler_of[recv];
    rules_edge_add(&r->cross, before, recv);
    if (earlier != RULES_NONE && later != RULES_NONE && earlier != later &&
        r->handlers.at[later].first == recv) {
        rules_edge_add(&r->cross, r->handlers.at[earlier].last, recv);
    }
}

static void read_stream_recv(struct rules *r, event_id recv)
{
    const uint32_t channel = trace_at(r->t, recv)->object;
    const struct range wanted = range_of(r, recv);
    event_id before = EVENT_NONE; /* the task's last RECV on the channel */
    for (event_id id = 0; id < r->count; id++) {
        if (is_on_stream(r, id, EVENT_SEND, channel)) {
            const struct range given = range_of(r, id);
            if (overlap(wanted, given)) {
                rules_edge_add(&r->cross, id, recv);
            }
            if (given.from < wanted.to && wanted.from < wanted.to) {
                rules_edge_add(&r->stream, id, recv);
            }
        } else if (is_on_stream(r, id, EVENT_RECV, channel) && id < recv) {
            rules_edge_add(&r->stream, id, recv);
            before = trace_at(r->t, id)->task == trace_at(r->t, recv)->task ? id : before;
        }
    }
    if (before != EVENT_NONE) {
        order_stream_recv(r, before, recv);
    }
}

static void line_up_sends(struct rules *r, event_id send)
{
    for (event_id later = send + 1; later < r->count; later++) {
        if (is_on_stream(r, later, EVENT_SEND, trace_at(r->t, send)->object)) {
            rules_edge_add(&r->lined_up, send, later);
        }
    }
}

/* The first send and the first receive joined to `send` by bytes: grows the range of bytes until
 * nothing sticks out. A message is added once, by its first send. */
static void read_stream_message(struct rules *r, event_id send)
{
    const uint32_t channel = trace_at(r->t, send)->object;
    struct range whole = range_of(r, send);
    struct rules_message m = {.send = EVENT_NONE, .recv = EVENT_NONE, .channel = channel};
    for (bool grows = true; grows;) {
        grows = false;
        for (event_id id = 0; id < r->count; id++) {
            const bool is_send = is_on_stream(r, id, EVENT_SEND, channel);
            if (!is_send && !is_on_stream(r, id, EVENT_RECV, channel)) {
                continue;
            }
            const struct range part = range_of(r, id);
            if (!overlap(part, whole)) {
                continue;
            }
            event_id *first = is_send ? &m.send : &m.recv;
            *first = id < *first ? id : *first;
            grows |= part.from < whole.from || part.to > whole.to;
            whole.from = part.from < whole.from ? part.from : whole.from;
            whole.to = part.to > whole.to ? part.to : whole.to;
        }
    }
    if (m.send == send && m.recv != EVENT_NONE) {
        vec_push(&r->messages, m);
    }
}

/* ---- rule 3: datagrams ---- */

static bool is_alike(const struct event *a, const struct event *b)
{
    if (is_stream(a) || is_stream(b) || a->message != b->message) {
        return false;
    }
    return a->message != 0 ||
           (a->object != 0 && a->object == b->object && bytes_of(a) == bytes_of(b));
}

static void read_datagram(struct rules *r, event_id recv)
{
    const struct event *e = trace_at(r->t, recv);
    size_t k = 1; /* the place of recv among its likes */
    for (event_id id = 0; id < recv; id++) {
        k += trace_at(r->t, id)->kind == EVENT_RECV && is_alike(trace_at(r->t, id), e);
    }
    event_id send = EVENT_NONE; /* the k-th, or the last */
    for (event_id id = 0; id < r->count && k > 0; id++) {
        if (trace_at(r->t, id)->kind == EVENT_SEND && is_alike(trace_at(r->t, id), e)) {
            send = id;
            k--;
        }
    }
    if (send != EVENT_NONE) {
        rules_edge_add(&r->cross, send, recv);
        vec_push(&r->messages, (struct rules_message){.send = send, .recv = recv});
    }
}

/* ---- rule 6 ---- */

/* The bytes that events of this kind brought to or took from the channel of an event, so far. */
static uint64_t bytes_before(const struct rules *r, event_id end, enum event_kind kind,
                             uint32_t channel)
{
    uint64_t bytes = 0;
    for (event_id id = 0; id < end; id++) {
        const struct event *e = trace_at(r->t, id);
        bytes += e->kind == kind && is_stream(e) && e->object == channel ? bytes_of(e) : 0;
    }
    return bytes;
}

/* The first send before the receive of whose bytes some were not received by then. */
static event_id first_unread(const struct rules *r, event_id recv)
{
    const uint32_t channel = trace_at(r->t, recv)->object;
    const uint64_t received = bytes_before(r, recv, EVENT_RECV, channel);
    for (event_id id = 0; id < recv; id++) {
        const struct event *e = trace_at(r->t, id);
        if (e->kind == EVENT_SEND && is_stream(e) && e->object == channel && bytes_of(e) > 0 &&
            bytes_before(r, id + 1, EVENT_SEND, channel) > received) {
            return id;
        }
    }
    return EVENT_NONE;
}

/* A receive that took nothing saw that bytes were there, or else the end: all closes, or the first
 * where it is enough (TCP, a shutdown, a list that is no order). */
static void read_end_of_stream(struct rules *r, event_id recv)
{
    const struct event *e = trace_at(r->t, recv);
    const bool is_ordered = r->t->tables.order != ORDER_NODE;
    const event_id unread = is_ordered ? first_unread(r, recv) : EVENT_NONE;
    if (unread != EVENT_NONE) {
        rules_edge_add(&r->cross, unread, recv);
        return;
    }
    bool is_enough = false;
    for (event_id id = 0; id < (is_ordered ? recv : (event_id)r->count) && !is_enough; id++) {
        const struct event *close = trace_at(r->t, id);
        const bool is_shutdown = close->kind == EVENT_SHUTDOWN;
        if ((close->kind == EVENT_CLOSE || is_shutdown) && close->object == e->object) {
            rules_edge_add(&r->cross, id, recv);
            is_enough = !is_ordered || is_shutdown || e->mode == TRANSPORT_TCP;
        }
    }
}

static bool same_part(struct channel_part a, struct channel_part b)
{
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

/* Whether two channels have the same ends, in whatever direction. */
static bool is_same_connection(const struct trace *t, uint32_t a, uint32_t b)
{
    struct channel first;
    struct channel second;
    const struct names *n = &t->tables.names;
    if (a == b || !channel_parse(&first, names_text(n, a), names_size(n, a)) ||
        !channel_parse(&second, names_text(n, b), names_size(n, b))) {
        return a == b;
    }
    return same_part(first.source, second.destination) &&
           same_part(first.destination, second.source);
}

static void read_accept(struct rules *r, event_id accept)
{
    const uint32_t channel = trace_at(r->t, accept)->object;
    size_t k = 0;
    for (event_id id = 0; id <= accept; id++) {
        const struct event *e = trace_at(r->t, id);
        k += e->kind == EVENT_ACCEPT && is_same_connection(r->t, e->object, channel);
    }
    for (event_id id = 0; id < r->count && channel != 0; id++) {
        const struct event *e = trace_at(r->t, id);
        if (e->kind == EVENT_CONNECT && is_same_connection(r->t, e->object, channel) && --k == 0) {
            rules_edge_add(&r->cross, id, accept);
            return;
        }
    }
}

void rules_read_network(struct rules *r)
{
    for (event_id id = 0; id < r->count; id++) {
        const struct event *e = trace_at(r->t, id);
        if (e->kind == EVENT_RECV && is_stream(e)) {
            read_stream_recv(r, id);
            if ((e->has & HAS_SIZE) != 0 && e->size == 0) {
                read_end_of_stream(r, id);
            }
        } else if (e->kind == EVENT_RECV) {
            read_datagram(r, id);
        } else if (e->kind == EVENT_SEND && is_stream(e)) {
            line_up_sends(r, id);
            read_stream_message(r, id);
        } else if (e->kind == EVENT_ACCEPT) {
            read_accept(r, id);
        }
    }
}
