/* Runs whose steps are requested one by one: whether the next is pending is looked up in its own
 * queue, and the other pending operations are not listed. Minimizing makes such runs by the
 * million.
 *
 * The same goes for timers that repeat themselves (timer_cycle.c). Resting matters only to a timer
 * that has fired in the same row and is requested again, so that firings need not be remembered
 * when another operation is sure to come before. A message that is pending stays so whatever
 * firings do, unless one blocks its node, and then the row ends with that. */
#include "sim/requested_steps.h"

#include "sim/external_events.h"
#include "sim/net.h"
#include "sim/pending.h"
#include "sim/state_hash.h"

/* The meaning of an action: a message's channel and type, or a timer of a node. */
static const uint32_t is_timer = UINT32_C(1) << 31;

_Static_assert(SIM_NODES_MAX *SIM_TIMERS_MAX < 1 << 30, "timers have numbers below the bit");
_Static_assert((SIM_NODES_MAX + 1) * SIM_NODES_MAX * SIM_TYPES_MAX < 1 << 30,
               "messages have numbers below the bit");

void wanted_open(struct sim *s)
{
    for (uint32_t i = 0; i < net_channel_count(s) * s->type_count; i++) {
        map_put(&s->prefixes.actions, s->names.messages[i], i);
    }
    for (uint32_t i = 0; i < s->node_count; i++) {
        for (uint32_t k = 0; k < s->timer_count; k++) {
            map_put(&s->prefixes.actions, s->names.timers[i][k],
                    is_timer | (i * SIM_TIMERS_MAX + k));
        }
    }
}

void wanted_close(struct sim *s)
{
    map_release(&s->prefixes.actions);
}

bool wanted_is_enough(const struct sim *s)
{
    const struct plan *p = s->plan;
    return p->pick.wants != NULL && p->steps_max == 0 && !p->wants_pending && !p->is_learning &&
           p->trace == NULL && s->claims.loops == NULL;
}

/* All messages that are pending and do this, by age. */
static void list_messages(struct sim *s, uint32_t kind)
{
    const uint32_t channel = kind / s->type_count;
    const uint32_t type = kind % s->type_count;
    must(channel < net_channel_count(s));
    if (s->channels.is_fifo[channel] && !s->core->nodes[channel % s->node_count].awaited.is_any) {
        struct parcel *head = s->core->queues[channel].first;
        if (head != NULL && head->type == type) {
            pending_parcel(s, head);
        }
        return;
    }
    for (struct parcel *p = s->core->oldest; p != NULL; p = p->newer) {
        if (p->channel == channel && p->type == type) {
            pending_parcel(s, p);
        }
    }
}

/* Lists all that is pending and does this, or more where it is neither a message nor a timer. */
static void list_wanted(struct sim *s, const struct pick_want *want)
{
    const uint32_t *what = want->fault != 0 ? NULL : map_get(&s->prefixes.actions, want->action);
    s->pending.count = 0;
    if (what == NULL) {
        pending_list(s);
    } else if ((*what & is_timer) != 0) {
        const uint32_t timer = *what & ~is_timer;
        pending_timer(s, timer / SIM_TIMERS_MAX, timer % SIM_TIMERS_MAX);
    } else {
        list_messages(s, *what);
    }
}

/* Where all that is pending is listed already, that will do. */
int wanted_choose(struct sim *s)
{
    struct pick *pick = s->world.pick;
    const struct pick_want *want = NULL;
    while ((want = pick_wanted(pick, 0)) != NULL && !want->is_unignorable) {
        if (s->pending.is_requested) {
            list_wanted(s, want);
        }
        while (s->outside != NULL &&
               !pick_is_among(want, s->pending.operations, s->pending.count) &&
               outside_pass_over(s, want)) {
            pending_list(s);
            outside_end_waits(s);
        }
        const int choice = pick_choose_wanted(pick, s->pending.operations, s->pending.count);
        if (choice >= 0) {
            return choice;
        }
    }
    if (s->pending.is_requested) {
        pending_list(s);
    }
    return pick_choose(pick, s->pending.operations, s->pending.count);
}

/* Rows of firings are short: one that goes on beyond this many requests is followed to its end. */
enum { AHEAD_MAX = 16 };

bool wanted_minds_rest(struct sim *s, uint32_t firing_node)
{
    must(firing_node < s->node_count);
    uint64_t firing = UINT64_C(1) << firing_node;
    for (size_t ahead = 0; ahead < AHEAD_MAX; ahead++) {
        const struct pick_want *want = pick_wanted(s->world.pick, ahead);
        const uint32_t *what = want == NULL || want->fault != 0 || want->is_unignorable
                                   ? NULL
                                   : map_get(&s->prefixes.actions, want->action);
        if (what == NULL) {
            return true;
        }
        if ((*what & is_timer) == 0) {
            s->pending.count = 0;
            list_messages(s, *what);
            if (pick_is_among(want, s->pending.operations, s->pending.count)) {
                return false;
            }
            continue;
        }
        const uint64_t node = UINT64_C(1) << (*what & ~is_timer) / SIM_TIMERS_MAX;
        if ((firing & node) != 0 || s->row.firings.count > 0) {
            return true;
        }
        firing |= node;
    }
    return true;
}
