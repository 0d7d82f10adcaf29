#include "order/stream_end.h"

#include "base/map.h"
#include "order/message.h"
#include "wire/kind.h"

/* A send and where its bytes end. */
struct sent {
    event_id id;
    uint64_t end;
};

struct channel_state {
    VEC(struct sent) sends;
    size_t first; /* of the sends that are not completely received */
    uint64_t received;
    VEC(event_id) closes;
    bool has_ended; /* by a shutdown: later closes add nothing */
};

typedef VEC(struct channel_state) channel_list;

bool stream_end_is(const struct event *e)
{
    return e->kind == EVENT_RECV && message_is_stream(e) && (e->has & HAS_SIZE) != 0 &&
           e->size == 0;
}

static bool is_of_stream(const struct event *e)
{
    return ((e->kind == EVENT_SEND || e->kind == EVENT_RECV) && message_is_stream(e)) ||
           e->kind == EVENT_CLOSE || e->kind == EVENT_SHUTDOWN;
}

static uint64_t bytes_of(const struct event *e)
{
    return (e->has & HAS_SIZE) != 0 ? e->size : 0;
}

static void add_end(const struct channel_state *c, const struct event *e, event_id receive,
                    stream_end_list *found)
{
    if (c->first < c->sends.count) {
        vec_push(found, (struct stream_end){c->sends.at[c->first].id, receive});
        return;
    }
    const size_t count = e->mode == TRANSPORT_TCP && c->closes.count > 1 ? 1 : c->closes.count;
    for (size_t i = 0; i < count; i++) {
        vec_push(found, (struct stream_end){c->closes.at[i], receive});
    }
}

static void take(struct channel_state *c, const struct event *e, event_id id,
                 stream_end_list *found)
{
    if (e->kind == EVENT_SEND) {
        const uint64_t begin = c->sends.count > 0 ? vec_last(&c->sends)->end : 0;
        if (bytes_of(e) > 0) {
            vec_push(&c->sends, (struct sent){id, begin + bytes_of(e)});
        }
    } else if (e->kind == EVENT_RECV) {
        c->received += bytes_of(e);
        while (c->first < c->sends.count && c->sends.at[c->first].end <= c->received) {
            c->first++;
        }
        if (stream_end_is(e)) {
            add_end(c, e, id, found);
        }
    } else if (!c->has_ended) {
        vec_push(&c->closes, id);
        c->has_ended = e->kind == EVENT_SHUTDOWN;
    }
}

static struct channel_state *channel_at(struct map *number_of, channel_list *channels,
                                        uint32_t name)
{
    bool is_new = false;
    const uint32_t number = *map_slot(number_of, name, (uint32_t)channels->count, &is_new);
    if (is_new) {
        vec_push(channels, (struct channel_state){0});
    }
    return &channels->at[number];
}

/* The closes that are listed before the receive, or first of all where the list is no order. */
static void find_in_nodes(const struct trace *t, stream_end_list *found)
{
    struct map closes = {0};
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (e->kind == EVENT_CLOSE || e->kind == EVENT_SHUTDOWN) {
            (void)map_slot(&closes, e->object, id, NULL);
        }
    }
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        const uint32_t *close = stream_end_is(e) ? map_get(&closes, e->object) : NULL;
        if (close != NULL) {
            vec_push(found, (struct stream_end){*close, id});
        }
    }
    map_release(&closes);
}

void stream_ends_find(const struct trace *t, stream_end_list *found)
{
    if (t->tables.order == ORDER_NODE) {
        find_in_nodes(t, found);
        return;
    }
    struct map number_of = {0};
    channel_list channels = {0};
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (is_of_stream(e)) {
            take(channel_at(&number_of, &channels, e->object), e, id, found);
        }
    }
    vec_each (&channels, c) {
        vec_release(&c->sends);
        vec_release(&c->closes);
    }
    vec_release(&channels);
    map_release(&number_of);
}
