#include "proc/record/message_stats.h"

#include "wire/kind.h"

static struct traffic_channel *channel_of(struct traffic *t, uint32_t name)
{
    bool is_new = false;
    const uint32_t index = *map_slot(&t->channel_of, name, (uint32_t)t->channels.count, &is_new);
    if (is_new) {
        vec_push(&t->channels, (struct traffic_channel){0});
    }
    return &t->channels.at[index];
}

static bool take_receipt(struct traffic *t, const struct event *event, struct traffic_channel *c)
{
    if (event->message != 0) {
        t->matched++; /* the name is its send's */
    } else if (c->sent == 0) {
        t->external++;
    } else {
        c->received += event->size;
        c->has_unseen = c->has_unseen || c->received > c->sent;
        t->matched += !c->has_unseen;
        t->unmatched += c->has_unseen;
    }
    return !c->has_unseen;
}

bool traffic_take(struct traffic *t, const struct event *event)
{
    if (event->kind == EVENT_SEND) {
        channel_of(t, event->object)->sent += event->size;
    } else if (event->kind == EVENT_RECV && (event->size > 0 || event->message != 0)) {
        return take_receipt(t, event, channel_of(t, event->object));
    }
    return true;
}

void traffic_release(struct traffic *t)
{
    map_release(&t->channel_of);
    vec_release(&t->channels);
}
