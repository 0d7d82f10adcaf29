#include "sim/fault.h"

#include "pick/operation_name.h"
#include "sim/external_events.h"
#include "sim/net.h"
#include "sim/node_life.h"
#include "sim/pending.h"
#include "sim/state_hash.h"
#include "sim/trace_events.h"

static bool is_affordable(const struct sim *s, uint8_t fault)
{
    must(fault < FAULT_LIMIT);
    return s->core->fault_counts[fault] < s->plan->faults.most[fault];
}

static uint64_t name_on_node(const struct sim *s, uint8_t fault, uint32_t node, uint32_t number)
{
    const uint64_t own = s->names.nodes[node + 1];
    return name_fault(fault, number == 0 ? own : name_join(own, number));
}

static void add_on_node(struct sim *s, uint8_t fault, uint32_t node, uint32_t number)
{
    pending_add(s,
                &(struct pick_operation){.name = name_on_node(s, fault, node, number),
                                         .action = s->names.nodes[node + 1],
                                         .content = number,
                                         .occurrence = number,
                                         .fault = fault},
                &(struct origin){.node = node, .cause = STEP_NONE, .number = number});
}

uint64_t fault_action(const struct sim *s, uint8_t fault, uint32_t node)
{
    return name_on_node(s, fault, node, 0);
}

/* For the strategies one that comes from outside is no fault: it is bound to come. */
static void add_outside(struct sim *s, uint8_t fault, uint32_t node, uint32_t number)
{
    pending_add(s,
                &(struct pick_operation){.name = name_on_node(s, fault, node, number),
                                         .action = fault_action(s, fault, node),
                                         .content = number,
                                         .occurrence = number,
                                         .fault_bound = fault,
                                         .kind = EVENT_FAULT},
                &(struct origin){.node = node, .cause = s->core->event_cause, .number = number});
}

static void add_on_parcel(struct sim *s, uint8_t fault, struct parcel *p)
{
    pending_add(s,
                &(struct pick_operation){.name = name_fault(fault, p->name),
                                         .action = p->action,
                                         .content = p->fingerprint,
                                         .occurrence = p->occurrence,
                                         .fault = fault},
                &(struct origin){.parcel = p, .node = p->to, .cause = p->cause});
}

/* A crash may find any number of the writes under way on the disk, in their order. */
static void list_on_node(struct sim *s, uint8_t fault, uint32_t node,
                         void (*add)(struct sim *s, uint8_t fault, uint32_t node, uint32_t number))
{
    const uint32_t writes = fault == FAULT_CRASH ? s->core->nodes[node].disk.write_count : 0;
    for (uint32_t reached = 0; reached <= writes; reached++) {
        add(s, fault, node, reached);
    }
}

void fault_list_outside(struct sim *s)
{
    uint32_t node = 0;
    const uint8_t fault = s->outside == NULL ? 0 : outside_fault(s, &node);
    if (fault != 0) {
        list_on_node(s, fault, node, add_outside);
    }
}

static bool has_timer(const struct sim *s, const struct node *n)
{
    for (uint32_t i = 0; i < s->timer_count; i++) {
        if (n->timers[i].is_set) {
            return true;
        }
    }
    return false;
}

/* Whether the fault could strike the node as it is. */
bool fault_can_strike(const struct sim *s, uint8_t fault, uint32_t node)
{
    const struct node *n = &s->core->nodes[node];
    const bool is_up = n->state != NULL;
    switch (fault) {
    case FAULT_CRASH: return is_up;
    case FAULT_RESTART: return !is_up && !n->is_unstarted;
    case FAULT_PARTITION: return !n->is_cut;
    case FAULT_HEAL: return n->is_cut;
    case FAULT_SKEW: return is_up && has_timer(s, n);
    case FAULT_SLOW_DISK: return n->disk.first != NULL && !n->disk.is_slow;
    case FAULT_DISK_ERROR: return n->disk.first != NULL && !n->disk.first->is_failing;
    default: return false;
    }
}

static void list_on_nodes(struct sim *s)
{
    static const uint8_t faults[] = {FAULT_CRASH, FAULT_RESTART,   FAULT_PARTITION, FAULT_HEAL,
                                     FAULT_SKEW,  FAULT_SLOW_DISK, FAULT_DISK_ERROR};
    uint32_t node_outside = 0;
    const uint8_t outside = outside_fault(s, &node_outside);
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        for (uint32_t i = 0; is_affordable(s, faults[f]) && i < s->node_count; i++) {
            const bool is_listed = faults[f] == outside && i == node_outside;
            if (!is_listed && fault_can_strike(s, faults[f], i)) {
                list_on_node(s, faults[f], i, add_on_node);
            }
        }
    }
}

/* A message that already is the first of its channel cannot overtake; nor does it where all can. */
static void list_on_parcels(struct sim *s)
{
    for (struct parcel *p = s->core->oldest; p != NULL; p = p->newer) {
        if (is_affordable(s, FAULT_DROP) && !p->is_unignorable) {
            add_on_parcel(s, FAULT_DROP, p);
        }
        if (is_affordable(s, FAULT_DUPLICATE)) {
            add_on_parcel(s, FAULT_DUPLICATE, p);
        }
        if (is_affordable(s, FAULT_REORDER) && net_is_fifo(s, p) && !net_is_first(s, p)) {
            add_on_parcel(s, FAULT_REORDER, p);
        }
    }
}

void fault_list(struct sim *s)
{
    const struct fault_budget *b = &s->plan->faults;
    if (!s->run.has_faults) {
        return;
    }
    list_on_nodes(s);
    if ((b->most[FAULT_DROP] | b->most[FAULT_DUPLICATE] | b->most[FAULT_REORDER]) != 0) {
        list_on_parcels(s);
    }
}

/* The node's clock jumps past the last of its timers. */
static void skew(const struct sim *s, struct node *n)
{
    for (uint32_t i = 0; i < s->timer_count; i++) {
        if (n->timers[i].is_set && n->timers[i].deadline > n->clock) {
            n->clock = n->timers[i].deadline;
        }
    }
}

void fault_strike(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    struct node *n = &s->core->nodes[from->node];
    const uint8_t fault = pick_fault(o);
    if (o->fault == 0) {
        outside_come(s);
    } else {
        s->core->fault_counts[fault]++;
    }
    must(fault != 0);
    must(from->node < s->node_count);
    pending_forget(s);
    tell_fault(s, fault, from);
    switch (fault) {
    case FAULT_CRASH: node_crash(s, from->node, from->number); break;
    case FAULT_RESTART: node_start(s, from->node, !n->is_unstarted); break;
    case FAULT_DROP: net_discard(s, from->parcel); break;
    case FAULT_DUPLICATE: net_repeat(s, from->parcel); break;
    case FAULT_REORDER: net_advance(s, from->parcel); break;
    case FAULT_PARTITION: n->is_cut = true; break;
    case FAULT_HEAL: n->is_cut = false; break;
    case FAULT_SKEW: skew(s, n); break;
    case FAULT_SLOW_DISK: n->disk.is_slow = true; break;
    case FAULT_DISK_ERROR: n->disk.first->is_failing = true; break;
    default: bug("a fault that is not simulated");
    }
}
