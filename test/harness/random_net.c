#include "random_sim.h"

#include <stdio.h>
#include <string.h>

#include "trace/channel.h"

static uint32_t channel_between(struct sim *s, uint32_t from_node, uint32_t from_port,
                                uint32_t to_node, uint32_t to_port)
{
    char hosts[2][16];
    char ports[2][16];
    (void)snprintf(hosts[0], sizeof hosts[0], "n%u", from_node);
    (void)snprintf(ports[0], sizeof ports[0], "%u", from_port);
    (void)snprintf(hosts[1], sizeof hosts[1], "n%u", to_node);
    (void)snprintf(ports[1], sizeof ports[1], "%u", to_port);
    const struct channel c = {
        .source_host = {hosts[0], strlen(hosts[0])},
        .source_port = {ports[0], strlen(ports[0])},
        .destination_host = {hosts[1], strlen(hosts[1])},
        .destination_port = {ports[1], strlen(ports[1])},
    };
    return channel_intern(&s->t->tables.names, &c);
}

bool sim_try_send(struct sim *s, struct actor *a)
{
    uint32_t to = sim_below(s, s->actor_count);
    if (&s->actors[to] == a && !sim_one_in(s, 4)) {
        to = (to + 1) % s->actor_count;
    }
    const struct actor *receiver = &s->actors[to];
    struct datagram d = {.receiver = to, .size = 1 + sim_below(s, 3)};
    d.channel = channel_between(s, a->node, (uint32_t)(a - s->actors), receiver->node, to);
    d.message = sim_one_in(s, 4) ? 0 : sim_name(s, "msg", s->message_count++);
    d.is_pooled = d.message != 0 && sim_one_in(s, 3);
    d.is_gone = d.message != 0 && sim_one_in(s, 8);
    vec_push(&s->datagrams, d);
    sim_emit(s, a,
             (struct event){.kind = EVENT_SEND,
                            .mode = TRANSPORT_UDP,
                            .object = d.channel,
                            .message = d.message,
                            .has = HAS_SIZE,
                            .size = d.size});
    return true;
}

/* Datagrams without a name are told apart by channel and size only, so they keep their order. */
static bool is_next_of_its_likes(const struct sim *s, size_t chosen)
{
    const struct datagram *d = &s->datagrams.at[chosen];
    for (size_t i = 0; d->message == 0 && i < chosen; i++) {
        const struct datagram *other = &s->datagrams.at[i];
        if (other->message == 0 && !other->is_gone && other->channel == d->channel &&
            other->size == d->size) {
            return false;
        }
    }
    return true;
}

bool sim_try_receive(struct sim *s, struct actor *a)
{
    if (s->datagrams.count == 0) {
        return false;
    }
    const size_t chosen = sim_below(s, (uint32_t)s->datagrams.count);
    struct datagram *d = &s->datagrams.at[chosen];
    const struct actor *receiver = &s->actors[d->receiver];
    const bool is_for_it = d->is_pooled ? receiver->node == a->node : receiver == a;
    if (d->is_gone || !is_for_it || !is_next_of_its_likes(s, chosen)) {
        return false;
    }
    d->is_gone = true;
    sim_emit(s, a,
             (struct event){.kind = EVENT_RECV,
                            .mode = TRANSPORT_UDP,
                            .object = d->channel,
                            .message = d->message,
                            .has = HAS_SIZE,
                            .size = d->size});
    return true;
}

static struct stream *stream_any(struct sim *s)
{
    if (s->stream_count < SIM_STREAMS_MAX && sim_one_in(s, 3)) {
        struct stream *fresh = &s->streams[s->stream_count++];
        *fresh = (struct stream){.from = sim_below(s, s->shape->node_count),
                                 .to = sim_below(s, s->shape->node_count)};
        fresh->has_tokens = (s->shape->features & RANDOM_TOKEN) != 0 && !sim_one_in(s, 4);
        fresh->channel = channel_between(s, fresh->from, 80, fresh->to, 90 + s->stream_count);
        return fresh;
    }
    return s->stream_count == 0 ? NULL : &s->streams[sim_below(s, s->stream_count)];
}

static void emit_stream(struct sim *s, struct actor *a, uint16_t kind, uint64_t size)
{
    sim_emit(s, a,
             (struct event){.kind = kind, .mode = TRANSPORT_TCP, .has = HAS_SIZE, .size = size});
}

/* The event just emitted is a token; rarely its content is not known. */
static void mark_token(struct sim *s, const struct stream *stream)
{
    struct event *e = vec_last(&s->t->events);
    if (stream->has_tokens && !sim_one_in(s, 40)) {
        e->has |= HAS_VALUE;
        e->value = 7;
    }
}

static bool stream_send(struct sim *s, struct actor *a, struct stream *stream)
{
    if (stream->from != a->node || stream->is_closed) {
        return false;
    }
    const uint32_t action = sim_below(s, 8);
    if (action == 0 && !stream->is_asked) {
        stream->is_asked = true;
        emit_stream(s, a, EVENT_CONNECT, 0);
    } else if (action == 1 && (!stream->has_tokens || sim_one_in(s, 4))) {
        stream->is_closed = true;
        emit_stream(s, a, sim_one_in(s, 2) ? EVENT_CLOSE : EVENT_SHUTDOWN, 0);
    } else {
        const uint64_t size = stream->has_tokens ? 1 : 1 + sim_below(s, 4);
        stream->sent += size;
        emit_stream(s, a, EVENT_SEND, size);
        mark_token(s, stream);
    }
    vec_last(&s->t->events)->object = stream->channel;
    return true;
}

static bool stream_receive(struct sim *s, struct actor *a, struct stream *stream)
{
    if (stream->to != a->node) {
        return false;
    }
    const uint64_t there = stream->sent - stream->received;
    if (stream->is_asked && !stream->is_accepted) {
        stream->is_accepted = true;
        emit_stream(s, a, EVENT_ACCEPT, 0);
    } else if (there > 0) {
        const uint64_t size = stream->has_tokens ? 1 : 1 + prng_below(s->prng, there);
        stream->received += size;
        emit_stream(s, a, EVENT_RECV, size);
        mark_token(s, stream);
    } else if (stream->is_closed && !stream->is_end_seen) {
        stream->is_end_seen = true;
        emit_stream(s, a, EVENT_RECV, 0);
        a->may_begin_handler = false;
    } else {
        return false;
    }
    vec_last(&s->t->events)->object = stream->channel;
    return true;
}

bool sim_try_stream(struct sim *s, struct actor *a)
{
    struct stream *stream = stream_any(s);
    return stream != NULL &&
           (sim_one_in(s, 2) ? stream_send(s, a, stream) : stream_receive(s, a, stream));
}

bool sim_try_handler_begin(struct sim *s, struct actor *a)
{
    if (!a->may_begin_handler) {
        return false;
    }
    a->is_in_handler = true;
    sim_emit(s, a, (struct event){.kind = EVENT_HANDLER_BEGIN});
    return true;
}

bool sim_try_handler_end(struct sim *s, struct actor *a)
{
    if (!a->is_in_handler || (a->hold_count > 0 && a->holds[a->hold_count - 1].is_in_handler)) {
        return false;
    }
    sim_emit(s, a, (struct event){.kind = EVENT_HANDLER_END});
    a->is_in_handler = false;
    return true;
}
