#include "sim/node_life.h"

#include "sim/disk.h"
#include "sim/handler_guard.h"
#include "sim/helper_tasks.h"
#include "sim/net.h"
#include "sim/properties.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"
#include "sim/trace_events.h"

static void enter(struct sim *s, uint32_t node, const char *doing)
{
    hash_touch_node(s, node);
    s->run.self = (int32_t)node;
    s->run.doing = doing;
}

static void leave(struct sim *s)
{
    s->run.self = -1;
}

/* Time passes for a node that waits, too. It has no timer due before that: no other clock would be
 * ahead by more then. */
static void keep_clock(struct sim *s, uint32_t node)
{
    struct node *n = &s->core->nodes[node];
    const uint64_t latest = s->skew_max > 0 ? node_clock_latest(s) : 0;
    if (latest > s->skew_max && latest - s->skew_max > n->clock) {
        n->clock = latest - s->skew_max;
    }
}

void node_start(struct sim *s, uint32_t node, bool is_again)
{
    const struct clew_system *system = s->system;
    struct node *n = &s->core->nodes[node];
    must(n->state == NULL);
    n->state = heap_take(&n->heap, system->state_size == 0 ? 1 : system->state_size);
    if (n->state == NULL) {
        guard_end(s, OUTCOME_CRASH, "state too large", "a state of %zu bytes is too large",
                  system->state_size);
    }
    s->claims.states[node] = n->state;
    n->is_unstarted = false;
    keep_clock(s, node);
    enter(s, node, is_again ? "restart" : "start");
    tell_start(s, node, is_again);
    void (*begin)(void *state) =
        is_again && system->restart != NULL ? system->restart : system->start;
    if (begin != NULL) {
        begin(n->state);
    }
    tell_handler_end(s, node);
    leave(s);
}

void node_deliver(struct sim *s, struct parcel *p)
{
    net_take(s, p);
    keep_clock(s, p->to);
    s->core->nodes[p->to].awaited = (struct awaited){0};
    enter(s, p->to, "message");
    tell_deliver(s, p);
    const struct clew_message m = {
        .from = p->from, .type = (int)p->type, .bytes = p->bytes, .size = p->size};
    s->system->message(s->core->nodes[p->to].state, &m);
    tell_handler_end(s, p->to);
    leave(s);
    heap_give(&s->core->heap, p);
}

/* The clock moves to the deadline, unless a skew has moved it beyond. */
void node_fire(struct sim *s, uint32_t node, uint32_t timer)
{
    struct node *n = &s->core->nodes[node];
    struct timer *t = &n->timers[timer];
    must(timer < s->timer_count);
    must(t->is_set);
    t->is_set = false;
    s->pending.listing.has_timers_moved = true;
    n->clock = t->deadline > n->clock ? t->deadline : n->clock;
    must(n->state != NULL);
    enter(s, node, "timer");
    tell_fire(s, node, timer);
    if (s->system->timer != NULL) {
        s->system->timer(n->state, (int)timer);
    }
    tell_handler_end(s, node);
    leave(s);
}

void node_written(struct sim *s, uint32_t node)
{
    struct node *n = &s->core->nodes[node];
    must(n->disk.first != NULL);
    struct disk_write *w = disk_complete(s, n);
    keep_clock(s, node);
    enter(s, node, "written");
    tell_written(s, node);
    if (s->system->written != NULL) {
        s->system->written(n->state, w->ticket, w->is_failing);
    }
    tell_handler_end(s, node);
    leave(s);
    heap_give(&s->core->heap, w);
}

void node_help(struct sim *s, uint32_t node, struct help *h)
{
    enter(s, node, "helper");
    s->run.is_helping = true;
    tell_help(s, node, h->helper);
    s->system->help((int)h->helper, h->bytes, h->size);
    tell_help_end(s, node, h->helper);
    s->run.is_helping = false;
    leave(s);
    help_end(s, &s->core->nodes[node], h);
}

uint64_t node_clock_latest(const struct sim *s)
{
    uint64_t latest = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const uint64_t clock = s->core->nodes[i].clock;
        latest = clock > latest ? clock : latest;
    }
    return latest;
}

/* All but the disk is gone; where messages travel in connections, those to it are gone too. */
void node_crash(struct sim *s, uint32_t node, uint32_t writes_reached)
{
    struct node *n = &s->core->nodes[node];
    must(n->state != NULL);
    must(writes_reached <= n->disk.write_count);
    disk_crash(s, n, writes_reached);
    for (uint32_t i = 0; i < s->timer_count; i++) {
        n->timers[i].is_set = false;
    }
    n->heap.used = 0;
    for (uint32_t i = 0; i < SIM_HEAP_CLASSES; i++) {
        n->heap.free[i] = NULL;
    }
    while (n->helps != NULL) {
        help_end(s, n, n->helps);
    }
    n->awaited = (struct awaited){0};
    n->state = NULL;
    n->variables_set = 0;
    claims_forget(s, node);
    s->claims.states[node] = NULL;
    net_forget(s, node);
}
