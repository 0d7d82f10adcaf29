/* Timers that repeat themselves. Where nothing but timers fires and the system comes back to a
 * state it was in since they began, those that fired in between would go round for ever: they rest
 * until something else has happened (DEMi, section 4: timer cycles).
 *
 * A timer that leaves the state as it is may rest without loss: where all do, the system is at
 * rest. Those that lead through other states and back rest too, but then nobody knows what else
 * could have happened on the way: the run is over, and at rest it is not.
 *
 * States are known by their hashes, which leave out how late it is unless a node has asked. */
#include "sim/state.h"

void cycle_begin(struct sim *s)
{
    vec_clear(&s->firings);
}

void cycle_close(struct sim *s)
{
    vec_release(&s->firings);
}

static void wake_all(struct sim *s)
{
    s->core->goes_round = false;
    s->core->has_resting = false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        for (uint32_t k = 0; k < s->timer_count; k++) {
            s->core->nodes[i].timers[k].is_resting = false;
        }
    }
}

/* Where clocks are part of the state and one moves on, the state is one that never was: there is
 * nothing to look for. */
static bool moves_clock(const struct sim *s, const struct pick_operation *o,
                        const struct origin *from)
{
    if (o->kind != EVENT_TIMER_FIRE || !s->core->reads_clock) {
        return false;
    }
    const struct node *n = &s->core->nodes[from->node];
    return n->timers[from->number].deadline > n->clock;
}

void cycle_before(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    if (s->timer_count == 0) {
        return;
    }
    if (o->kind == EVENT_TIMER_FIRE && !moves_clock(s, o, from)) {
        if (s->firings.count == 0) {
            vec_push(&s->firings, (struct firing){.state = memory_hash(s)});
        }
        return;
    }
    vec_clear(&s->firings);
    if (s->core->has_resting) {
        wake_all(s);
    }
}

/* All that fired after the state was `first`-th rest. */
static void put_to_rest(struct sim *s, size_t first)
{
    s->core->has_resting = true;
    for (size_t i = first + 1; i < s->firings.count; i++) {
        const struct firing *f = &s->firings.at[i];
        s->core->nodes[f->node].timers[f->timer].is_resting = true;
    }
}

void cycle_after(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    if (o->kind != EVENT_TIMER_FIRE || s->firings.count == 0) {
        return;
    }
    const struct firing now = {.state = memory_hash(s), .node = from->node, .timer = from->number};
    const uint64_t before = vec_last(&s->firings)->state;
    vec_push(&s->firings, now);
    if (now.state == before) {
        put_to_rest(s, s->firings.count - 2);
        return;
    }
    if (s->core->has_resting) {
        wake_all(s);
    }
    for (size_t i = 0; i + 2 < s->firings.count; i++) {
        if (s->firings.at[i].state == now.state) {
            put_to_rest(s, i);
            s->core->goes_round = true;
            return;
        }
    }
}
