#include "sim/net.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pick/operation_name.h"
#include "sim/handler_guard.h"
#include "sim/pending.h"
#include "sim/request.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"
#include "sim/trace_events.h"

uint32_t net_channel(const struct sim *s, int32_t from, uint32_t to)
{
    return (uint32_t)(from + 1) * s->node_count + to;
}

static void append(struct sim *s, struct parcel *p)
{
    struct core *core = s->core;
    p->age = core->parcels_sent++;
    p->older = core->newest;
    *(core->newest == NULL ? &core->oldest : &core->newest->newer) = p;
    core->newest = p;
    struct queue *c = &core->queues[p->channel];
    if (c->first == NULL) {
        c->first = p;
        pending_note_filled(s, p->channel);
    } else {
        c->last->behind = p;
    }
    c->last = p;
    core->parcel_count++;
    hash_touch_channel(s, p->channel);
}

/* Gives the parcel, which has its fingerprint, its name: the next of its type on its channel. */
static void christen(struct sim *s, struct parcel *p)
{
    const uint32_t kind = p->channel * s->type_count + p->type;
    p->action = s->names.messages[kind];
    p->occurrence = ++s->core->sent[kind];
    p->name = name_occurrence(p->action, p->occurrence);
    pending_make_delivery(s, p);
}

enum { PARCELS_MAX = SIM_PENDING_MAX / 2 };

static struct parcel *parcel_new(struct sim *s, size_t size)
{
    struct parcel *p =
        s->core->parcel_count >= PARCELS_MAX ? NULL : heap_take(&s->core->heap, sizeof *p + size);
    if (p == NULL) {
        guard_end(s, OUTCOME_HANG, "messages pile up",
                  "%u messages are on their way, and more "
                  "than there is room for",
                  s->core->parcel_count);
    }
    return p;
}

static uint64_t fingerprint(const struct sim *s, const struct parcel *p)
{
    if (s->system->fingerprint == NULL) {
        return XXH3_64bits(p->bytes, p->size);
    }
    return s->system->fingerprint(&(struct clew_message){
        .from = p->from, .type = (int)p->type, .bytes = p->bytes, .size = p->size});
}

/* The plan may replace the payload of a request. */
static struct clew_message content(struct sim *s, int32_t from, uint32_t to,
                                   const struct clew_message *m)
{
    const bool is_asked_for = s->system->shrink != NULL || s->plan->content_count > 0;
    if (from != CLEW_CLIENT || !is_asked_for) {
        return *m;
    }
    const uint32_t kind = net_channel(s, from, to) * s->type_count + (uint32_t)m->type;
    const uint64_t name = name_occurrence(s->names.messages[kind], s->core->sent[kind] + 1);
    return request_content(s, name, m);
}

struct parcel *net_send(struct sim *s, int32_t from, uint32_t to, const struct clew_message *given)
{
    const struct clew_message brought = content(s, from, to, given);
    const struct clew_message *m = &brought;
    struct parcel *p = parcel_new(s, m->size);
    p->from = from;
    p->to = to;
    p->channel = net_channel(s, from, to);
    p->type = (uint32_t)m->type;
    p->size = m->size;
    p->cause = s->run.now;
    if (m->size > 0) {
        memcpy(p->bytes, m->bytes, m->size);
    }
    p->fingerprint = fingerprint(s, p);
    christen(s, p);
    append(s, p);
    tell_send(s, p);
    return p;
}

void net_take(struct sim *s, struct parcel *p)
{
    struct core *core = s->core;
    *(p->older == NULL ? &core->oldest : &p->older->newer) = p->newer;
    *(p->newer == NULL ? &core->newest : &p->newer->older) = p->older;
    struct queue *c = &core->queues[p->channel];
    struct parcel *before = NULL;
    for (struct parcel *q = c->first; q != p; q = q->behind) {
        before = q;
    }
    *(before == NULL ? &c->first : &before->behind) = p->behind;
    if (c->last == p) {
        c->last = before;
    }
    p->older = p->newer = p->behind = NULL;
    core->parcel_count--;
    hash_touch_channel(s, p->channel);
}

void net_discard(struct sim *s, struct parcel *p)
{
    net_take(s, p);
    heap_give(&s->core->heap, p);
}

void net_repeat(struct sim *s, const struct parcel *p)
{
    struct parcel *copy = parcel_new(s, p->size);
    memcpy(copy, p, sizeof *copy + p->size);
    copy->cause = s->run.now;
    copy->older = copy->newer = copy->behind = NULL;
    christen(s, copy);
    append(s, copy);
    must(copy->age > p->age);
    must(copy->occurrence > p->occurrence);
    tell_send(s, copy);
}

void net_advance(struct sim *s, struct parcel *p)
{
    struct queue *c = &s->core->queues[p->channel];
    struct parcel *before = c->first;
    if (before == p) {
        return;
    }
    while (before->behind != p) {
        before = before->behind;
    }
    before->behind = p->behind;
    if (c->last == p) {
        c->last = before;
    }
    p->behind = c->first;
    c->first = p;
    must(c->last != p);
    hash_touch_channel(s, p->channel);
}

void net_forget(struct sim *s, uint32_t to)
{
    struct parcel *newer = NULL;
    for (struct parcel *p = s->core->oldest; p != NULL; p = newer) {
        newer = p->newer;
        if (p->to == to && net_is_fifo(s, p) && !p->is_unignorable) {
            net_discard(s, p);
        }
    }
}
