/* Timers that repeat themselves. Where nothing but timers fires and the system comes back to a
 * state it was in since they began, those that fired in between would go round for ever: they rest
 * until something else has happened (DEMi, section 4: timer cycles).
 *
 * A timer that leaves the state as it is may rest without loss: where all do, the system is at
 * rest. Those that lead through other states and back rest too, but then nobody knows what else
 * could have happened on the way: the run is over, and at rest it is not.
 *
 * While only timers fire, what is on its way can only become more: a firing that sends, writes or
 * starts something leads where the system never was, and the row ends. So does one that blocks its
 * node, which then fires no more. All others change the node that fired, and the system's own
 * variables, at most. So a state of a row is what the firings changed of nodes, and those
 * variables. A firing changes little of its node: only that is hashed. */
#include <string.h>

#include "pick/operation_name.h"
#include "sim/sim_state.h"

void cycle_begin(struct sim *s)
{
    vec_clear(&s->firings);
}

void cycle_close(struct sim *s)
{
    vec_release(&s->before.heap);
    vec_release(&s->firings);
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
    vec_clear(&s->firings);
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

/* Of what only grows while timers alone fire, and whether clocks count. */
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
    s->before.fired = node;
    s->before.has_disk = false;
    hash_beside(s, node, &s->before.beside);
    vec_reserve(&s->before.heap, heap->used);
    memcpy(s->before.heap.at, heap->begin, heap->used);
    s->before.heap.count = heap->used;
}

void cycle_before_save(struct sim *s)
{
    if (s->before.is_kept && !s->before.has_disk) {
        s->before.has_disk = true;
        s->before.beside.disk = hash_disk(s, s->before.fired);
    }
}

/* How far the firing has moved its node; 0: it has left it as it was. */
static uint64_t change_of_node(struct sim *s)
{
    const uint32_t node = s->before.fired;
    const struct heap *heap = &s->core->nodes[node].heap;
    struct hash_beside beside;
    hash_beside(s, node, &beside);
    beside.disk = s->before.has_disk ? hash_disk(s, node) : 0;
    const uint64_t change =
        image_change(&(struct image_bytes){s->before.heap.at, s->before.heap.count},
                     &(struct image_bytes){heap->begin, heap->used}, node);
    return memcmp(&beside, &s->before.beside, sizeof beside) == 0
               ? change
               : change + name_mix(hash_words(&beside), node) -
                     name_mix(hash_words(&s->before.beside), node);
}

void cycle_before(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    s->before.is_kept = false;
    if (s->timer_count == 0) {
        return;
    }
    if (o->kind == EVENT_TIMER_FIRE && !moves_clock(s, o, from)) {
        if (s->is_wanted && !wanted_minds_rest(s, from->node)) {
            return;
        }
        s->before.is_kept = true;
        if (s->firings.count == 0) {
            vec_push(&s->firings, (struct firing){.state = hash_segments(s)});
        }
        keep_node(s, from->node);
        s->before.begun = count_begun(s, &s->core->nodes[from->node]);
        return;
    }
    end_row(s);
}

/* All that fired after the state was `first`-th rest. */
static void put_to_rest(struct sim *s, size_t first)
{
    pending_forget(s);
    s->core->has_resting = true;
    for (size_t i = first + 1; i < s->firings.count; i++) {
        const struct firing *f = &s->firings.at[i];
        s->core->nodes[f->node].timers[f->timer].is_resting = true;
    }
}

/* What the last firing led to. */
static struct firing firing_of(struct sim *s, const struct origin *from)
{
    const uint64_t nodes = vec_last(&s->firings)->nodes + change_of_node(s);
    return (struct firing){.nodes = nodes,
                           .state = nodes + hash_segments(s),
                           .node = from->node,
                           .timer = from->number};
}

void cycle_after(struct sim *s, const struct origin *from)
{
    const struct node *n = &s->core->nodes[from->node];
    if (n->awaited.is_any || (s->before.is_kept && count_begun(s, n) != s->before.begun)) {
        end_row(s);
        return;
    }
    if (!s->before.is_kept) {
        return;
    }
    const struct firing last = firing_of(s, from);
    const bool is_same = last.state == vec_last(&s->firings)->state;
    vec_push(&s->firings, last);
    if (is_same) {
        put_to_rest(s, s->firings.count - 2);
        return;
    }
    if (s->core->has_resting) {
        wake_all(s);
    }
    for (size_t i = 0; i + 2 < s->firings.count; i++) {
        if (s->firings.at[i].state == last.state) {
            put_to_rest(s, i);
            s->core->goes_round = true;
            return;
        }
    }
}
