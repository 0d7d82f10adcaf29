#include "order/message.h"

#include "base/map.h"
#include "base/names.h"
#include "order/bucket.h"
#include "order/event_notes.h"
#include "order/stream_end.h"
#include "trace/channel.h"
#include "wire/kind.h"

bool message_is_stream(const struct event *e)
{
    return e->object != 0 &&
           (e->mode == TRANSPORT_TCP || e->mode == TRANSPORT_UNIX || e->mode == TRANSPORT_PIPE);
}

static uint64_t size_of(const struct event *e)
{
    return (e->has & HAS_SIZE) != 0 ? e->size : 0;
}

static const char receive_without_send[] = "a receive whose send is not in the trace";

struct build {
    const struct trace *t;
    struct edges *edges;
    struct notes *n;

    struct map streams; /* channel to flow */
    struct map named;   /* message to flow */
    struct map sized;   /* (channel, number of the size) to flow */
    struct map sizes;   /* size to a number */
    uint32_t flow_count;

    struct bucket_items sends, receives;   /* by flow */
    struct bucket_items connects, accepts; /* by connection */
    struct map connections;                /* (endpoint, endpoint) or (channel, 0) to number */
    struct names endpoints;

    VEC(struct message) list;
    VEC(struct message_part) parts; /* by place in list, in any order */
};

/* ---- sorting into flows ---- */

static uint32_t flow_in(struct build *b, struct map *m, uint64_t key)
{
    bool is_new = false;
    const uint32_t flow = *map_slot(m, key, b->flow_count, &is_new);
    b->flow_count += is_new;
    return flow;
}

static uint32_t flow_of(struct build *b, const struct event *e)
{
    if (message_is_stream(e)) {
        return flow_in(b, &b->streams, e->object);
    }
    if (e->message != 0) {
        return flow_in(b, &b->named, e->message);
    }
    const uint32_t size = *map_slot(&b->sizes, size_of(e), (uint32_t)b->sizes.entries.count, NULL);
    return flow_in(b, &b->sized, map_pair(e->object, size));
}

/* A connection is its two endpoints, in any order. */
static uint32_t connection_of(struct build *b, const struct event *e)
{
    const struct names *names = &b->t->tables.names;
    struct channel c;
    uint64_t key = map_pair(UINT32_MAX, e->object);
    if (channel_parse(&c, names_text(names, e->object), names_size(names, e->object))) {
        const uint32_t source = names_intern(&b->endpoints, c.source.text, c.source.size);
        const uint32_t destination =
            names_intern(&b->endpoints, c.destination.text, c.destination.size);
        key = source < destination ? map_pair(source, destination) : map_pair(destination, source);
    }
    return *map_slot(&b->connections, key, (uint32_t)b->connections.entries.count, NULL);
}

/* An event with neither a name nor a channel cannot be matched. */
static bool is_anonymous(const struct event *e)
{
    return e->object == 0 && e->message == 0;
}

static void collect(struct build *b, event_id id, const struct event *e)
{
    switch (e->kind) {
    case EVENT_SEND:
        if (!is_anonymous(e)) {
            bucket_add(&b->sends, flow_of(b, e), id);
        }
        break;
    case EVENT_RECV:
        if (!is_anonymous(e)) {
            bucket_add(&b->receives, flow_of(b, e), id);
        } else {
            remark(b->n, b->t, id, receive_without_send);
        }
        break;
    case EVENT_CONNECT:
        if (e->object != 0) {
            bucket_add(&b->connects, connection_of(b, e), id);
        }
        break;
    case EVENT_ACCEPT:
        if (e->object != 0) {
            bucket_add(&b->accepts, connection_of(b, e), id);
        }
        break;
    default: break;
    }
}

/* ---- streams ---- */

/* A walk over the bytes of one side of a stream. */
struct side {
    struct bucket all;
    uint32_t index;
    uint64_t from, to; /* bytes of the current event */
};

/* Advances to the next event with bytes; false at the end. */
static bool side_next(const struct trace *t, struct side *s)
{
    while (s->index < s->all.count) {
        s->from = s->to;
        s->to += size_of(trace_at(t, s->all.at[s->index]));
        if (s->to > s->from) {
            return true;
        }
        s->index++;
    }
    return false;
}

/* Adds the receive as a part of the last message. */
static void add_part(struct build *b, event_id receive)
{
    vec_push(&b->parts,
             (struct message_part){.receive = receive, .message = (uint32_t)b->list.count - 1});
}

static void match_stream(struct build *b, struct bucket sent, struct bucket received,
                         uint32_t channel)
{
    struct side sends = {.all = sent};
    struct side receives = {.all = received};
    bool has_send = side_next(b->t, &sends);
    bool has_receive = side_next(b->t, &receives);
    bool is_joined = false; /* the bytes before these belong to the same message */
    while (has_send && has_receive) {
        const event_id send = sends.all.at[sends.index];
        const event_id receive = receives.all.at[receives.index];
        edges_add(b->edges, send, receive, EDGE_MESSAGE);
        if (!is_joined) {
            vec_push(&b->list,
                     (struct message){.send = send, .receive = receive, .stream = channel});
        }
        is_joined = sends.to != receives.to;
        if (b->parts.count == 0 || vec_last(&b->parts)->receive != receive) {
            add_part(b, receive);
        }
        const bool send_is_done = sends.to <= receives.to;
        const bool receive_is_done = receives.to <= sends.to;
        if (send_is_done) {
            sends.index++;
            has_send = side_next(b->t, &sends);
        }
        if (receive_is_done) {
            receives.index++;
            has_receive = side_next(b->t, &receives);
        }
    }
    while (has_receive) {
        remark(b->n, b->t, receives.all.at[receives.index],
               "a receive of bytes whose send is not in the trace");
        receives.index++;
        has_receive = side_next(b->t, &receives);
    }
}

/* ---- everything else ---- */

static void match_datagrams(struct build *b, struct bucket sends, struct bucket receives)
{
    for (uint32_t k = 0; k < receives.count; k++) {
        const event_id receive = receives.at[k];
        if (sends.count == 0) {
            remark(b->n, b->t, receive, receive_without_send);
            continue;
        }
        const event_id send = sends.at[k < sends.count ? k : sends.count - 1];
        edges_add(b->edges, send, receive, EDGE_MESSAGE);
        vec_push(&b->list, (struct message){.send = send, .receive = receive});
        add_part(b, receive);
    }
}

static void match_messages(struct build *b)
{
    struct arena scratch = {0};
    const struct buckets sends = buckets_sort(&b->sends, b->flow_count, &scratch);
    const struct buckets receives = buckets_sort(&b->receives, b->flow_count, &scratch);
    uint32_t *channel_of = arena_array(&scratch, uint32_t, b->flow_count + 1);
    vec_each (&b->streams.entries, entry) {
        channel_of[entry->value] = (uint32_t)entry->key;
    }
    for (uint32_t flow = 0; flow < b->flow_count; flow++) {
        if (channel_of[flow] != 0) {
            match_stream(b, bucket_at(&sends, flow), bucket_at(&receives, flow), channel_of[flow]);
        } else {
            match_datagrams(b, bucket_at(&sends, flow), bucket_at(&receives, flow));
        }
    }
    arena_release(&scratch);
}

/* Matches the RECVs of 0 bytes: they saw the end of the stream, or that bytes were available. */
static void match_ends(struct build *b)
{
    stream_end_list ends = {0};
    vec_each (&b->receives.list, item) {
        const struct event *e = trace_at(b->t, item->event);
        if (message_is_stream(e) && (e->has & HAS_SIZE) == 0) {
            remark(b->n, b->t, item->event,
                   "a receive from a stream has no size: nothing orders it");
        }
    }
    stream_ends_find(b->t, &ends);
    vec_each (&ends, end) {
        edges_add(b->edges, end->source, end->receive, EDGE_CLOSE);
    }
    vec_release(&ends);
}

static void match_connections(struct build *b)
{
    struct arena scratch = {0};
    const uint32_t count = (uint32_t)b->connections.entries.count;
    const struct buckets connects = buckets_sort(&b->connects, count, &scratch);
    const struct buckets accepts = buckets_sort(&b->accepts, count, &scratch);
    for (uint32_t i = 0; i < count; i++) {
        const struct bucket asked = bucket_at(&connects, i);
        const struct bucket accepted = bucket_at(&accepts, i);
        for (uint32_t k = 0; k < asked.count && k < accepted.count; k++) {
            edges_add(b->edges, asked.at[k], accepted.at[k], EDGE_CONNECT);
        }
    }
    arena_release(&scratch);
}

/* Puts messages and parts in listed order of their receives. */
static void lay_out(struct messages *m, const struct build *b, struct arena *a)
{
    struct arena scratch = {0};
    struct message *list = arena_array(a, struct message, b->list.count + 1);
    struct message_part *parts = arena_array(a, struct message_part, b->parts.count + 1);
    uint32_t *part_at = arena_array(&scratch, uint32_t, b->t->events.count + 1);
    uint32_t *number = arena_array(&scratch, uint32_t, b->list.count + 1);
    for (size_t i = 0; i < b->parts.count; i++) {
        part_at[b->parts.at[i].receive] = (uint32_t)i + 1;
    }
    *m = (struct messages){.list = list, .parts = parts};
    vec_each (&b->receives.list, item) {
        if (part_at[item->event] == 0) {
            continue;
        }
        const uint32_t found = b->parts.at[part_at[item->event] - 1].message;
        if (b->list.at[found].receive == item->event) {
            number[found] = (uint32_t)m->count;
            list[m->count++] = b->list.at[found];
        }
        parts[m->part_count++] =
            (struct message_part){.receive = item->event, .message = number[found]};
    }
    must(m->count == b->list.count);
    must(m->part_count == b->parts.count);
    must(m->part_count >= m->count); /* each message has at least one receive */
    arena_release(&scratch);
}

uint32_t message_of_receive(const struct messages *m, event_id receive)
{
    size_t low = 0;
    size_t high = m->part_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->parts[middle].receive < receive) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < m->part_count && m->parts[low].receive == receive ? m->parts[low].message
                                                                   : MESSAGE_NONE;
}

void messages_build(struct messages *m, const struct trace *t, struct edges *edges, struct arena *a,
                    struct notes *n)
{
    struct build b = {.t = t, .edges = edges, .n = n};
    names_init(&b.endpoints);
    for (event_id id = 0; id < t->events.count; id++) {
        collect(&b, id, &t->events.at[id]);
    }
    match_messages(&b);
    match_ends(&b);
    match_connections(&b);
    lay_out(m, &b, a);

    map_release(&b.streams);
    map_release(&b.named);
    map_release(&b.sized);
    map_release(&b.sizes);
    map_release(&b.connections);
    names_release(&b.endpoints);
    vec_release(&b.sends.list);
    vec_release(&b.receives.list);
    vec_release(&b.connects.list);
    vec_release(&b.accepts.list);
    vec_release(&b.list);
    vec_release(&b.parts);
}
