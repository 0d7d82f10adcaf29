#include "race/observed/observed_messages.h"

#include <string.h>

#include "order/message.h"
#include "race/observed/observed_state.h"
#include "trace/channel.h"
#include "wire/kind.h"
#include "wire/must.h"

static bool is_end_of_stream(const struct event *e)
{
    return message_is_stream(e) && (e->has & HAS_SIZE) != 0 && e->size == 0;
}

static struct observed_stream *stream_at(struct observed *o, uint32_t channel)
{
    bool is_new = false;
    const uint32_t number =
        *map_slot(&o->net.stream_of, channel, (uint32_t)o->net.streams.count, &is_new);
    if (is_new) {
        vec_push(&o->net.streams, (struct observed_stream){.sends = OBSERVED_NONE});
    }
    must(number < o->net.streams.count);
    return &o->net.streams.at[number];
}

/* The list of a datagram's sends: by its name, else by channel and size. Lists move. */
static uint32_t *sends_of(struct observed *o, const struct event *e)
{
    if (e->message == 0) {
        uint32_t *list = triples_slot(&o->net.unnamed_of, e->object, (uint32_t)(e->size >> 32),
                                      (uint32_t)e->size);
        if (*list == TRIPLE_ABSENT) {
            *list = pending_clocks_list_new(&o->pending);
        }
        return list;
    }
    while (o->net.message_lists.count <= e->message) {
        vec_push(&o->net.message_lists, OBSERVED_NONE);
    }
    return &o->net.message_lists.at[e->message];
}

/* A connection is its two endpoints, whichever comes first. */
static uint32_t *connects_of(struct observed *o, uint32_t channel)
{
    const char *text = names_text(&o->tables->names, channel);
    const size_t size = names_size(&o->tables->names, channel);
    struct channel c;
    uint32_t connection = 0;
    if (channel_parse(&c, text, size)) {
        const size_t shorter =
            c.source.size < c.destination.size ? c.source.size : c.destination.size;
        const int order = memcmp(c.source.text, c.destination.text, shorter);
        const bool is_swapped = order > 0 || (order == 0 && c.source.size > c.destination.size);
        connection =
            names_intern(&o->net.endpoints, is_swapped ? c.destination.text : c.source.text,
                         is_swapped ? c.destination.size : c.source.size);
        const uint32_t other =
            names_intern(&o->net.endpoints, is_swapped ? c.source.text : c.destination.text,
                         is_swapped ? c.source.size : c.destination.size);
        return map_slot(&o->net.connection_of, map_pair(connection, other), OBSERVED_NONE, NULL);
    }
    connection = names_intern(&o->net.endpoints, text, size);
    return map_slot(&o->net.connection_of, map_pair(connection, OBSERVED_NONE), OBSERVED_NONE,
                    NULL);
}

bool observed_must_wait(struct observed *o, const struct event *e)
{
    if (e->kind == EVENT_ACCEPT) {
        const uint32_t list = *connects_of(o, e->object);
        return list == OBSERVED_NONE || pending_clocks_first(&o->pending, list) == NULL;
    }
    if (is_end_of_stream(e)) {
        return map_get(&o->net.close_of, e->object) == NULL;
    }
    if (message_is_stream(e)) {
        const struct observed_stream *stream = stream_at(o, e->object);
        return (e->has & HAS_SIZE) != 0 && e->size > stream->sent - stream->received;
    }
    const uint32_t list = *sends_of(o, e);
    if (list == OBSERVED_NONE) {
        return true;
    }
    /* A name may be received by many; without one, each receive is of its own send. */
    return e->message != 0 ? !o->pending.lists.at[list].was_put
                           : pending_clocks_first(&o->pending, list) == NULL;
}

/* ---- sends ---- */

static uint64_t bytes_after(uint64_t bytes, uint64_t more)
{
    uint64_t sum = 0;
    return __builtin_add_overflow(bytes, more, &sum) ? UINT64_MAX : sum;
}

void observed_send(struct observed *o, const struct observed_step *s)
{
    const struct event *e = s->event;
    if (!message_is_stream(e)) {
        (void)observed_put(o, sends_of(o, e), s);
        return;
    }
    if ((e->has & HAS_SIZE) == 0 || e->size == 0) {
        return;
    }
    struct observed_stream *stream = stream_at(o, e->object);
    struct pending_clock *send = observed_put(o, &stream->sends, s);
    send->begin = stream->sent;
    stream->sent = bytes_after(stream->sent, e->size);
    send->end = stream->sent;
    must(send->begin <= send->end);
}

void observed_connect(struct observed *o, const struct observed_step *s)
{
    (void)observed_put(o, connects_of(o, s->event->object), s);
}

/* A stream ends with its last writer; of a TCP connection, and by a shutdown, with the first end
 * (order/stream_end.h). */
void observed_close(struct observed *o, const struct observed_step *s)
{
    const struct event *e = s->event;
    uint32_t *row = map_slot(&o->net.close_of, e->object, OBSERVED_NONE, NULL);
    if (*row == OBSERVED_NONE || (e->kind == EVENT_CLOSE && e->mode != TRANSPORT_TCP)) {
        observed_publish(o, row, s);
    }
}

/* ---- receives ---- */

static void arrive(struct observed *o, const struct observed_step *s,
                   const struct pending_clock *send, uint32_t stream)
{
    if (o->options.skips_messages) {
        return;
    }
    const struct arrival arrival = {
        .index = s->index,
        .send_index = send->index,
        .location = s->event->location,
        .send_location = send->location,
        .send_task = send->task,
        .column = s->task->column,
        .clock = clocks_row(&o->clocks, s->task->row)[s->task->column],
        .stream = stream,
    };
    arrivals_add(&o->net.arrivals, s->event->task, &arrival, clocks_row(&o->clocks, send->row));
}

/* Joins the sends whose bytes are received. Those whose end is reached are done with; the message
 * is a new one where a send begins just where this receive does. */
static void receive_bytes(struct observed *o, const struct observed_step *s)
{
    const struct event *e = s->event;
    struct observed_stream *stream = stream_at(o, e->object);
    const uint64_t begin = stream->received;
    const uint64_t end = bytes_after(begin, e->size);
    must(end >= begin);
    stream->received = end;
    if (end > stream->sent) {
        observed_remark(o, s->index, "bytes are received that were never sent: not ordered");
    }
    if (stream->sends == OBSERVED_NONE) {
        return;
    }
    const struct pending_clock *send = pending_clocks_first(&o->pending, stream->sends);
    while (send != NULL && send->end <= begin) {
        pending_clocks_drop(&o->pending, stream->sends, NULL);
        send = pending_clocks_first(&o->pending, stream->sends);
    }
    if (send != NULL && send->begin == begin && begin < end) {
        arrive(o, s, send, e->object);
    }
    while (send != NULL && send->begin < end) {
        observed_acquire(o, s, send->row);
        if (send->end > end) {
            break;
        }
        pending_clocks_drop(&o->pending, stream->sends, NULL);
        send = pending_clocks_first(&o->pending, stream->sends);
    }
}

/* The send of the first byte that nobody has received; NULL: there is none. */
static const struct pending_clock *first_unreceived(struct observed *o, uint32_t channel)
{
    struct observed_stream *stream = stream_at(o, channel);
    if (stream->sends == OBSERVED_NONE || o->tables->order == ORDER_NODE) {
        return NULL;
    }
    const struct pending_clock *send = pending_clocks_first(&o->pending, stream->sends);
    while (send != NULL && send->end <= stream->received) {
        pending_clocks_drop(&o->pending, stream->sends, NULL);
        send = pending_clocks_first(&o->pending, stream->sends);
    }
    return send;
}

void observed_recv(struct observed *o, const struct observed_step *s)
{
    const struct event *e = s->event;
    if (is_end_of_stream(e)) {
        const struct pending_clock *send = first_unreceived(o, e->object);
        const uint32_t *row = map_get(&o->net.close_of, e->object);
        if (send != NULL) {
            observed_acquire(o, s, send->row);
        } else if (row != NULL) {
            observed_acquire(o, s, *row);
        }
    }
    if (message_is_stream(e)) {
        if ((e->has & HAS_SIZE) != 0 && e->size > 0) {
            receive_bytes(o, s);
        }
        return;
    }
    const uint32_t list = *sends_of(o, e);
    const struct pending_clock *send =
        list == OBSERVED_NONE ? NULL : pending_clocks_take(&o->pending, list);
    if (send == NULL) {
        observed_remark(o, s->index, "a message is received whose send is not known: not ordered");
        return;
    }
    arrive(o, s, send, 0);
    observed_acquire(o, s, send->row);
}

void observed_accept(struct observed *o, const struct observed_step *s)
{
    const uint32_t list = *connects_of(o, s->event->object);
    const struct pending_clock *connect =
        list == OBSERVED_NONE ? NULL : pending_clocks_first(&o->pending, list);
    if (connect == NULL) {
        observed_remark(o, s->index, "a connection is accepted that nobody asked for: not ordered");
        return;
    }
    observed_acquire(o, s, connect->row);
    pending_clocks_drop(&o->pending, list, NULL);
}

void observed_net_release(struct observed *o)
{
    vec_release(&o->net.message_lists);
    triples_release(&o->net.unnamed_of);
    map_release(&o->net.stream_of);
    map_release(&o->net.close_of);
    map_release(&o->net.connection_of);
    names_release(&o->net.endpoints);
    vec_release(&o->net.streams);
    arrivals_release(&o->net.arrivals);
}
