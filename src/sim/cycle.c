/* Timers that repeat themselves. Where nothing but timers fires and the system comes back to a
 * state it was in since they began, those that fired in between would go round for ever: they rest
 * until something else has happened (DEMi, section 4: timer cycles).
 *
 * A timer that leaves the state as it is may rest without loss: where all do, the system is at
 * rest. Those that lead through other states and back rest too, but then nobody knows what else
 * could have happened on the way: the run is over, and at rest it is not.
 *
 * While only timers fire, what is on its way can only become more: a firing that sends, writes or
 * starts something leads where the system never was, and the row ends. All others change the
 * node that fired, and the system's own variables, at most. So a state of a row is the sum of what
 * the firings changed, and only these two are looked at: they are copied before a firing, compared
 * after it, and hashed when another firing follows, which is seldom. */
#include <string.h>
#include <xxhash.h>

#include "pick/name.h"
#include "sim/state.h"

void cycle_begin(struct sim *s)
{
    vec_clear(&s->firings);
}

void cycle_close(struct sim *s)
{
    vec_release(&s->firings);
    vec_release(&s->kept.heap);
    vec_release(&s->kept.segments);
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

/* What is kept of the time before a firing */

static void keep_segments(struct sim *s)
{
    vec_clear(&s->kept.segments);
    for (uint32_t i = 0; i < s->segment_count; i++) {
        const struct segment *segment = &s->segments[i];
        vec_reserve(&s->kept.segments, s->kept.segments.count + segment->size);
        memcpy(s->kept.segments.at + s->kept.segments.count, segment->begin, segment->size);
        s->kept.segments.count += segment->size;
    }
}

static bool are_segments_kept(const struct sim *s)
{
    const char *kept = s->kept.segments.at;
    for (uint32_t i = 0; i < s->segment_count; i++) {
        if (memcmp(kept, s->segments[i].begin, s->segments[i].size) != 0) {
            return false;
        }
        kept += s->segments[i].size;
    }
    return true;
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

static void keep_node(struct sim *s, const struct node *n)
{
    vec_reserve(&s->kept.heap, n->heap.used + 1);
    memcpy(s->kept.heap.at, n->heap.begin, n->heap.used);
    s->kept.heap.count = n->heap.used;
    s->kept.beside = memory_hash_beside(s, n);
    s->kept.begun = count_begun(s, n);
}

static bool is_node_kept(const struct sim *s, const struct node *n)
{
    return n->heap.used == s->kept.heap.count && memory_hash_beside(s, n) == s->kept.beside &&
           memcmp(n->heap.begin, s->kept.heap.at, n->heap.used) == 0;
}

/* Rows of firings */

/* What the last firing did to its node and to the variables, as a difference of hashes. */
static uint64_t change_of(struct sim *s, uint32_t node)
{
    const struct node *n = &s->core->nodes[node];
    uint64_t change =
        name_mix(XXH3_64bits_withSeed(n->heap.begin, n->heap.used, memory_hash_beside(s, n)),
                 node) -
        name_mix(XXH3_64bits_withSeed(s->kept.heap.at, s->kept.heap.count, s->kept.beside), node);
    if (!are_segments_kept(s)) {
        change -= XXH3_64bits(s->kept.segments.at, s->kept.segments.count);
        keep_segments(s);
        change += XXH3_64bits(s->kept.segments.at, s->kept.segments.count);
    }
    return change;
}

/* Computes the state after the last firing; nothing has happened since. */
static void settle(struct sim *s)
{
    struct firing *last = vec_last(&s->firings);
    if (last->is_open) {
        last->state += change_of(s, last->node);
        last->is_open = false;
    }
}

void cycle_before(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    if (s->timer_count == 0) {
        return;
    }
    if (o->kind == EVENT_TIMER_FIRE && !moves_clock(s, o, from)) {
        if (s->firings.count == 0) {
            keep_segments(s);
            vec_push(&s->firings, (struct firing){0});
        }
        settle(s);
        keep_node(s, &s->core->nodes[from->node]);
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
    const struct node *n = &s->core->nodes[from->node];
    if (o->kind != EVENT_TIMER_FIRE || s->firings.count == 0) {
        return;
    }
    const bool is_same = is_node_kept(s, n) && are_segments_kept(s);
    const bool is_new = count_begun(s, n) != s->kept.begun;
    if ((is_new || !is_same) && s->core->has_resting) {
        wake_all(s);
    }
    if (is_new) {
        vec_clear(&s->firings);
        return;
    }
    vec_push(&s->firings, (struct firing){.state = vec_last(&s->firings)->state,
                                          .is_open = !is_same,
                                          .node = from->node,
                                          .timer = from->number});
    if (is_same) {
        put_to_rest(s, s->firings.count - 2);
        return;
    }
    if (s->firings.count > 2) {
        settle(s);
    }
    for (size_t i = 0; i + 2 < s->firings.count; i++) {
        if (s->firings.at[i].state == vec_last(&s->firings)->state) {
            put_to_rest(s, i);
            s->core->goes_round = true;
            return;
        }
    }
}
