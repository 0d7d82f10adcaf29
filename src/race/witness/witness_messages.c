#include <string.h>

#include "order/stream_end.h"
#include "race/witness/witness_facts.h"
#include "trace/channel.h"
#include "wire/kind.h"

static bool is_stream(const struct event *e)
{
    return e->object != 0 &&
           (e->mode == TRANSPORT_TCP || e->mode == TRANSPORT_UNIX || e->mode == TRANSPORT_PIPE);
}

static uint64_t bytes_of(const struct event *e)
{
    return (e->has & HAS_SIZE) != 0 ? e->size : 0;
}

/* ---- streams ---- */

/* How far one stream has been counted. */
struct flow {
    uint32_t send_count, recv_count;
    uint64_t sent, received;
    uint32_t sends_passed; /* SENDs that begin before the RECV looked at */
    VEC(uint64_t) send_starts;
};

static void add_part(struct facts *f, struct flow *flow, uint32_t stream, event_id id)
{
    const struct event *e = trace_at(f->t, id);
    const bool is_send = e->kind == EVENT_SEND;
    uint64_t *bytes = is_send ? &flow->sent : &flow->received;
    uint32_t *count = is_send ? &flow->send_count : &flow->recv_count;
    if (is_send) {
        vec_push(&flow->send_starts, *bytes);
    }
    f->of[id].thing = (uint32_t)f->parts.count;
    vec_push(&f->parts, (struct fact_part){.stream = stream,
                                           .index = (*count)++,
                                           .from = *bytes,
                                           .to = *bytes + bytes_of(e)});
    *bytes += bytes_of(e);
}

/* Both kinds of parts are in the order of their bytes, so one walk beside the other finds how many
 * SENDs begin before each RECV's end. */
static void count_sends_needed(struct flow *flow, struct fact_part *recv)
{
    if (recv->from == recv->to) {
        return;
    }
    while (flow->sends_passed < flow->send_count &&
           flow->send_starts.at[flow->sends_passed] < recv->to) {
        flow->sends_passed++;
    }
    recv->sends_needed = flow->sends_passed;
}

static void read_streams(struct facts *f)
{
    struct map numbers = {0};
    VEC(struct flow) flows = {0};
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if ((e->kind != EVENT_SEND && e->kind != EVENT_RECV) || !is_stream(e)) {
            continue;
        }
        const uint32_t stream = facts_number(&numbers, e->object);
        if (stream == flows.count) {
            vec_push(&flows, (struct flow){0});
        }
        must(stream < flows.count);
        add_part(f, &flows.at[stream], stream, id);
    }
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_RECV && is_stream(e)) {
            struct fact_part *part = &f->parts.at[f->of[id].thing];
            count_sends_needed(&flows.at[part->stream], part);
        }
    }
    f->stream_count = (uint32_t)flows.count;
    vec_each (&flows, flow) {
        vec_release(&flow->send_starts);
    }
    vec_release(&flows);
    map_release(&numbers);
}

/* ---- datagrams ---- */

/* The identity of a datagram: its name, or channel and size. False if it has none. */
static bool datagram_key(struct map *sizes, const struct event *e, uint64_t *key)
{
    if (e->message != 0) {
        *key = map_pair(FACT_NONE, e->message);
        return true;
    }
    *key = map_pair(e->object, facts_number(sizes, bytes_of(e)));
    return e->object != 0;
}

static void read_datagrams(struct facts *f)
{
    struct map sizes = {0};
    struct fact_lists sends = {0};
    uint64_t key = 0;
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_SEND && !is_stream(e) && datagram_key(&sizes, e, &key)) {
            fact_lists_add(&sends, key, id);
        }
    }
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_RECV && !is_stream(e) && datagram_key(&sizes, e, &key)) {
            const event_id send = fact_lists_take_or_last(&sends, key);
            if (send != EVENT_NONE) {
                facts_need(f, id, send);
            }
        }
    }
    fact_lists_release(&sends);
    map_release(&sizes);
}

/* ---- connections ---- */

/* The same name for both directions of a connection: the channel whose source comes first. */
static uint32_t connection_of(struct names *names, const struct trace *t, uint32_t channel)
{
    const char *text = trace_name(t, channel);
    const uint32_t size = names_size(&t->tables.names, channel);
    struct channel c;
    if (!channel_parse(&c, text, size)) {
        return names_intern(names, text, size);
    }
    const size_t shorter = c.source.size < c.destination.size ? c.source.size : c.destination.size;
    const int order = memcmp(c.source.text, c.destination.text, shorter);
    if (order > 0 || (order == 0 && c.source.size > c.destination.size)) {
        c = (struct channel){.source_host = c.destination_host,
                             .source_port = c.destination_port,
                             .destination_host = c.source_host,
                             .destination_port = c.source_port};
    }
    return channel_intern(names, &c);
}

static void read_connections(struct facts *f)
{
    struct names names;
    struct fact_lists connects = {0};
    names_init(&names);
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_CONNECT && e->object != 0) {
            fact_lists_add(&connects, connection_of(&names, f->t, e->object), id);
        }
    }
    for (event_id id = 0; id < f->count; id++) {
        const struct event *e = trace_at(f->t, id);
        if (e->kind == EVENT_ACCEPT && e->object != 0) {
            const event_id connect =
                fact_lists_take(&connects, connection_of(&names, f->t, e->object));
            if (connect != EVENT_NONE) {
                facts_need(f, id, connect);
            }
        }
    }
    fact_lists_release(&connects);
    names_release(&names);
}

static void read_ends(struct facts *f)
{
    stream_end_list ends = {0};
    stream_ends_find(f->t, &ends);
    vec_each (&ends, end) {
        facts_need(f, end->receive, end->source);
    }
    vec_release(&ends);
}

void facts_read_network(struct facts *f)
{
    if (facts_have(f, EVENT_SEND) || facts_have(f, EVENT_RECV)) {
        read_streams(f);
        read_datagrams(f);
        read_ends(f);
    }
    if (facts_have(f, EVENT_ACCEPT)) {
        read_connections(f);
    }
}
