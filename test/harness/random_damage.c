#include "random_trace.h"

#include "shrink.h"
#include "wire/kind.h"

/* Incomplete recordings lack events of these kinds. */
static const uint16_t losable[] = {
    EVENT_SEND,       EVENT_HANDLER_END,  EVENT_LOCK,         EVENT_UNLOCK,
    EVENT_SIGNAL,     EVENT_BROADCAST,    EVENT_THREAD_START, EVENT_THREAD_CREATE,
    EVENT_THREAD_END, EVENT_WAIT_BEGIN,   EVENT_WAIT_END,     EVENT_RECV,
    EVENT_SEM_POST,   EVENT_BARRIER_EXIT, EVENT_CONNECT,      EVENT_HANDLER_BEGIN,
};

enum damage { LOSE_KIND, LOSE_ANY, REPEAT, MOVE, BEGIN_AGAIN, CLEAR_TIME, CUT, DAMAGE_COUNT };

static event_id pick_event(const struct trace *t, struct prng *prng)
{
    return (event_id)prng_below(prng, t->events.count);
}

/* An event of one of the losable kinds if a few looks find one. */
static event_id pick_losable(const struct trace *t, struct prng *prng)
{
    const uint16_t wanted = losable[prng_below(prng, sizeof losable / sizeof *losable)];
    const event_id first = pick_event(t, prng);
    for (size_t i = 0; i < t->events.count; i++) {
        const event_id id = (event_id)((first + i) % t->events.count);
        if (trace_at(t, id)->kind == wanted) {
            return id;
        }
    }
    return first;
}

static void append_damaged(struct trace *to, const struct event *e, enum damage damage)
{
    struct event copy = *e;
    switch (damage) {
    case LOSE_KIND:
    case LOSE_ANY: return;
    case CUT: break;
    case REPEAT: trace_append(to, &copy); break;
    case BEGIN_AGAIN: {
        const struct event begin = {.kind = EVENT_HANDLER_BEGIN, .task = e->task};
        trace_append(to, &begin);
        break;
    }
    case CLEAR_TIME:
        copy.has |= HAS_TIME;
        copy.time = 0;
        break;
    case MOVE:
    case DAMAGE_COUNT: bug("not done to one event");
    }
    trace_append(to, &copy);
}

void random_damage(struct trace *to, const struct trace *from, struct prng *prng)
{
    trace_copy_tables(to, from);
    if (from->events.count == 0) {
        trace_seal(to);
        return;
    }
    const enum damage damage = (enum damage)prng_below(prng, DAMAGE_COUNT);
    const event_id target = damage == LOSE_KIND ? pick_losable(from, prng) : pick_event(from, prng);
    const event_id place = pick_event(from, prng);
    for (event_id id = 0; id < from->events.count; id++) {
        if (damage == CUT && id > target) {
            break;
        }
        if (damage == MOVE && id == place) {
            trace_append(to, trace_at(from, target));
        }
        if (id != target) {
            trace_append(to, trace_at(from, id));
        } else if (damage != MOVE) {
            append_damaged(to, trace_at(from, id), damage);
        }
    }
    trace_seal(to);
}
