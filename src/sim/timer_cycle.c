/* Timers that repeat themselves. Where nothing but timers fires and the system returns to a state
 * it was in since they began, those that fired in between would go round for ever: they rest until
 * another event has happened (DEMi, section 4: timer cycles).
 *
 * A timer that leaves the state as it is may rest without loss: where all do, the system is at
 * rest. Those that lead through other states and back rest too, but other events could have
 * happened on the way: the run is over, and the system is not at rest.
 *
 * While only timers fire, the messages on their way can only become more: a firing that sends,
 * writes or starts a helper leads to a state that never was, and the row ends. So does one that
 * blocks its node, which then fires no more. All others change the node that fired, and the
 * system's own variables, at most. So the state of a row is the changes of nodes by the firings,
 * and those variables. A firing changes little of its node: only that is hashed. */
#include "sim/timer_cycle.h"

#include <string.h>

#include "pick/operation_name.h"
#include "sim/net.h"
#include "sim/pending.h"
#include "sim/requested_steps.h"
#include "sim/state_hash.h"

void cycle_begin(struct sim *s)
{
    vec_clear(&s->row.firings);
}

void cycle_close(struct sim *s)
{
    vec_release(&s->row.before.heap);
    vec_release(&s->row.firings);
}

static void wake_all(struct sim *s)
{
    pending_forget(s);
    s->core->goes_round = false;
    s->core->has_resting = false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        for (uint32_t k = 0; k < s->timer_count; k++) {
            s->core->nodes[i].timers[k].is_resting = false;
        }
    }
}

static void end_row(struct sim *s)
{
    vec_clear(&s->row.firings);
    if (s->core->has_resting) {
        wake_all(s);
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

/* A count that only grows while timers alone fire, and whether clocks count. */
static uint64_t count_begun(const struct sim *s, const struct node *n)
{
    uint64_t count = s->core->parcels_sent + n->disk.ticket + s->core->reads_clock;
    for (uint32_t i = 0; i < s->helper_count; i++) {
        count += n->help_counts[i];
    }
    return count;
}

/* The node as it is before it fires. */
static void keep_node(struct sim *s, uint32_t node)
{
    const struct heap *heap = &s->core->nodes[node].heap;
    s->row.before.fired = node;
    s->row.before.has_disk = false;
    hash_beside(s, node, &s->row.before.beside);
    vec_reserve(&s->row.before.heap, heap->used);
    memcpy(s->row.before.heap.at, heap->begin, heap->used);
    s->row.before.heap.count = heap->used;
}

void cycle_before_save(struct sim *s)
{
    if (s->row.before.is_kept && !s->row.before.has_disk) {
        s->row.before.has_disk = true;
        s->row.before.beside.disk = hash_disk(s, s->row.before.fired);
    }
}

/* How far the firing has moved its node; 0: it has left it as it was. */
static uint64_t change_of_node(struct sim *s)
{
    const uint32_t node = s->row.before.fired;
    const struct heap *heap = &s->core->nodes[node].heap;
    struct hash_beside beside;
    hash_beside(s, node, &beside);
    beside.disk = s->row.before.has_disk ? hash_disk(s, node) : 0;
    const uint64_t change =
        image_change(&(struct image_bytes){s->row.before.heap.at, s->row.before.heap.count},
                     &(struct image_bytes){heap->begin, heap->used}, node);
    return memcmp(&beside, &s->row.before.beside, sizeof beside) == 0
               ? change
               : change + name_mix(hash_words(&beside), node) -
                     name_mix(hash_words(&s->row.before.beside), node);
}

void cycle_before(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    s->row.before.is_kept = false;
    if (s->timer_count == 0) {
        return;
    }
    if (o->kind == EVENT_TIMER_FIRE && !moves_clock(s, o, from)) {
        if (s->pending.is_requested && !wanted_minds_rest(s, from->node)) {
            return;
        }
        s->row.before.is_kept = true;
        if (s->row.firings.count == 0) {
            vec_push(&s->row.firings, (struct firing){.state = hash_segments(s)});
        }
        keep_node(s, from->node);
        s->row.before.begun = count_begun(s, &s->core->nodes[from->node]);
        return;
    }
    end_row(s);
}

/* All that fired after the state was `first`-th rest. */
static void put_to_rest(struct sim *s, size_t first)
{
    must(first + 1 < s->row.firings.count);
    pending_forget(s);
    s->core->has_resting = true;
    for (size_t i = first + 1; i < s->row.firings.count; i++) {
        const struct firing *f = &s->row.firings.at[i];
        s->core->nodes[f->node].timers[f->timer].is_resting = true;
    }
}

/* The state after the last firing. */
static struct firing firing_of(struct sim *s, const struct origin *from)
{
    const uint64_t nodes = vec_last(&s->row.firings)->nodes + change_of_node(s);
    return (struct firing){.nodes = nodes,
                           .state = nodes + hash_segments(s),
                           .node = from->node,
                           .timer = from->number};
}

void cycle_after(struct sim *s, const struct origin *from)
{
    const struct node *n = &s->core->nodes[from->node];
    if (n->awaited.is_any || (s->row.before.is_kept && count_begun(s, n) != s->row.before.begun)) {
        end_row(s);
        return;
    }
    if (!s->row.before.is_kept) {
        return;
    }
    const struct firing last = firing_of(s, from);
    const bool is_same = last.state == vec_last(&s->row.firings)->state;
    vec_push(&s->row.firings, last);
    if (is_same) {
        put_to_rest(s, s->row.firings.count - 2);
        return;
    }
    if (s->core->has_resting) {
        wake_all(s);
    }
    for (size_t i = 0; i + 2 < s->row.firings.count; i++) {
        if (s->row.firings.at[i].state == last.state) {
            put_to_rest(s, i);
            s->core->goes_round = true;
            return;
        }
    }
}
