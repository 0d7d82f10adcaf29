/* Rules of messages and streams, matched as the order of a trace matches them
 * (docs/theory/races-semantics.md): a message by its name, or by channel and size when it has none;
 * a stream by its bytes. One send may be received several times (duplicated), and a receive may be
 * listed before its send where the list does not order their nodes. */
#include "trace/channel.h"
#include "trace/check_state.h"
#include "wire/kind.h"

static uint32_t message_name(const struct event *e)
{
    return (e->has & HAS_PEER) != 0 ? 0 : e->message;
}

static uint32_t *message_slot(struct check *c, const struct event *e)
{
    const uint32_t name = message_name(e);
    if (name != 0) {
        vec_reserve(&c->message_of, (size_t)name + 1);
        while (c->message_of.count <= name) {
            vec_push(&c->message_of, MESSAGE_UNSEEN);
        }
        return &c->message_of.at[name];
    }
    /* Sizes beyond 32 bits are alike: no datagram has them. */
    const uint64_t size = (e->has & HAS_SIZE) != 0 ? e->size : 0;
    const uint32_t size_key = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return map_slot(&c->shape_of, map_pair(e->object, size_key), MESSAGE_UNSEEN, NULL);
}

static uint32_t message_new(struct check *c, const struct message_state *message)
{
    if (c->message_free == UINT32_MAX) {
        vec_push(&c->messages, *message);
        return (uint32_t)c->messages.count - 1;
    }
    const uint32_t index = c->message_free;
    c->message_free = c->messages.at[index].next_free;
    c->messages.at[index] = *message;
    return index;
}

static void message_whole(struct check *c, uint32_t *slot)
{
    if (*slot >= MESSAGE_FIRST) {
        const uint32_t index = *slot - MESSAGE_FIRST;
        c->messages.at[index] = (struct message_state){.next_free = c->message_free};
        c->message_free = index;
    }
    *slot = MESSAGE_WHOLE;
}

static void check_message(struct check *c, const struct event *e, const struct place *at)
{
    const bool is_send = e->kind == EVENT_SEND;
    uint32_t *slot = message_slot(c, e);
    if (*slot == MESSAGE_WHOLE) {
        return;
    }
    if (*slot == MESSAGE_UNSEEN) {
        *slot = MESSAGE_FIRST + message_new(c, &(struct message_state){.at = *at,
                                                                       .channel = e->object,
                                                                       .is_send = is_send});
        return;
    }
    const struct message_state *m = &c->messages.at[*slot - MESSAGE_FIRST];
    if (m->is_send == is_send) {
        return;
    }
    if (is_send && check_is_ordered(c, m->at.task, e->task)) {
        check_tell(c, &(struct check_report){CHECK_RECEIVE_EARLY, &m->at, at, 0},
                   "%s receives a message before %s sends it", check_task_text(c, m->at.task).text,
                   check_task_text(c, e->task).text);
    }
    message_whole(c, slot);
}

static uint64_t added(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void check_stream(struct check *c, const struct event *e, const struct place *at)
{
    if ((e->has & HAS_SIZE) == 0 || e->size == 0) {
        return;
    }
    bool is_new = false;
    const uint32_t index = *map_slot(&c->stream_of, e->object, (uint32_t)c->streams.count, &is_new);
    if (is_new) {
        vec_push(&c->streams, (struct stream_state){0});
    }
    struct stream_state *s = &c->streams.at[index];
    const bool is_send = e->kind == EVENT_SEND;
    const bool was_even = s->sent == s->received;
    const bool was_ahead = s->sent > s->received;
    if (is_send) {
        s->sent = added(s->sent, e->size);
    } else {
        s->received = added(s->received, e->size);
    }
    if (is_send && !was_even && !was_ahead && check_is_ordered(c, s->at.task, e->task)) {
        check_tell(c, &(struct check_report){CHECK_RECEIVE_EARLY, &s->at, at, 0},
                   "%s receives bytes before %s sends them", check_task_text(c, s->at.task).text,
                   check_task_text(c, e->task).text);
    }
    if (was_even || (s->sent > s->received) != was_ahead) {
        s->at = *at;
    }
}

void check_message_event(struct check *c, const struct event *e, const struct place *at)
{
    if (e->kind == EVENT_FAULT && e->mode == FAULT_DROP && message_name(e) != 0) {
        message_whole(c, message_slot(c, e));
    }
    if (e->kind != EVENT_SEND && e->kind != EVENT_RECV) {
        return;
    }
    const uint32_t end = e->kind == EVENT_SEND ? END_SENT : END_RECEIVED;
    uint32_t *ends = map_slot(&c->channel_ends, e->object, 0, NULL);
    *ends |= end;
    if (transport_is_stream(e->mode)) {
        check_stream(c, e, at);
    } else {
        check_message(c, e, at);
    }
}

static bool is_node(const struct map *nodes, const struct names *names, struct channel_part host)
{
    const uint32_t name = host.size == 0 ? 0 : names_find(names, host.text, host.size);
    return name != 0 && map_get(nodes, name) != NULL;
}

/* Whether the missing end of a channel is recorded: its host is a node of the trace, or it sent or
 * received other messages. */
static bool is_inside(const struct check *c, const struct map *nodes, uint32_t channel,
                      enum channel_end end)
{
    const uint32_t *ends = map_get(&c->channel_ends, channel);
    if (channel != 0 && ends != NULL && (*ends & end) != 0) {
        return true;
    }
    struct channel parts;
    const struct names *names = &c->tables->names;
    if (!channel_parse(&parts, names_text(names, channel), names_size(names, channel))) {
        return false;
    }
    return is_node(nodes, names, end == END_SENT ? parts.source_host : parts.destination_host);
}

static void tell_unsent(struct check *c, const struct place *at)
{
    check_tell(c, &(struct check_report){CHECK_RECEIVE_UNSENT, at, NULL, 0},
               "%s receives over %s what was never sent", check_task_text(c, at->task).text,
               check_name_text(c, at->object).text);
}

static void tell_unreceived(struct check *c, const struct place *at)
{
    check_tell(c, &(struct check_report){CHECK_SEND_UNRECEIVED, at, NULL, 0},
               "%s sends over %s what was never received", check_task_text(c, at->task).text,
               check_name_text(c, at->object).text);
}

void check_message_end(struct check *c)
{
    struct map nodes = {0};
    vec_each (&c->tables->tasks, task) {
        map_put(&nodes, task->node, 1);
    }
    vec_each (&c->messages, message) {
        if (message->at.kind == 0) {
            continue; /* free */
        }
        if (!is_inside(c, &nodes, message->channel, message->is_send ? END_RECEIVED : END_SENT)) {
            c->counts.messages_outside++;
        } else if (message->is_send) {
            tell_unreceived(c, &message->at);
        } else {
            tell_unsent(c, &message->at);
        }
    }
    vec_each (&c->stream_of.entries, entry) {
        const struct stream_state *s = &c->streams.at[entry->value];
        const bool is_send = s->sent > s->received;
        if (s->sent == s->received) {
            continue;
        }
        if (!is_inside(c, &nodes, (uint32_t)entry->key, is_send ? END_RECEIVED : END_SENT)) {
            c->counts.messages_outside++;
        } else if (is_send) {
            tell_unreceived(c, &s->at);
        } else {
            tell_unsent(c, &s->at);
        }
    }
    map_release(&nodes);
}
