/* Reachability: for every event, how much of each main chain comes before it; or after it, when the
 * graph is swept backward.
 *
 * Handlers are many and short, so clocks count events of main chains only. An event has a clock of
 * its own only where an edge joins it: all events up to the next join share it. During the sweep,
 * full clocks live only as long as they are needed. The result keeps a row of the tasks in scope
 * (those of the event's node, or all). Nodes that share memory (trace/name_scope.h) count as one
 * node here. */
#ifndef CLEW_ORDER_REACHABILITY_H
#define CLEW_ORDER_REACHABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "order/order_graph.h"
#include "trace/trace.h"

enum reach_direction {
    REACH_BEFORE, /* forward: the predecessors of an event */
    REACH_AFTER,  /* backward: its successors */
};

/* The tasks that a row covers. */
enum reach_scope {
    REACH_ALL,  /* every task */
    REACH_NODE, /* the tasks of the event's own node; of all that share memory, if it is one */
    REACH_NONE, /* no rows: only whether the graph has a cycle */
};

/* Tasks whose counts are kept together. */
struct reach_group {
    uint32_t first; /* the tasks are reach.tasks[first .. first + width) */
    uint32_t width;
    VEC(uint32_t) counts; /* rows of `width`; the first is all 0 */
};

struct reach {
    const struct contexts *contexts;
    enum reach_direction direction;
    enum reach_scope scope;
    struct reach_group *groups;
    uint32_t group_count;
    const uint32_t *tasks;    /* group by group */
    const uint32_t *group_of; /* per task */
    const uint32_t *slot_of;  /* per task: its column in its group's rows */
    const uint32_t *row;      /* per event: its row in the group of its task */
    const uint32_t *swept;    /* per context: the number of its events that the sweep has passed */
    /* Per edge, at the place of its far end in graph.in (graph.out when backward): how much of the
     * main chain of the far end's task is already known at the near end. */
    const uint32_t *heard;
};

/* Sweeps the graph. Returns EVENT_NONE, or an event that a cycle blocks; then only `swept` and
 * reach_release are valid. O(events + joins * tasks). */
event_id reach_build(struct reach *r, const struct graph *g, const struct trace *t,
                     enum reach_direction direction, enum reach_scope scope, struct arena *a);
void reach_release(struct reach *r);

/* The number of events of the main chain of `task` that come before (after) the event, itself
 * included when it is on that chain. The task must be in the scope. O(1). */
uint32_t reach_count(const struct reach *r, event_id id, uint32_t task);

/* The counts of the event's row, one per task of its group in the order of reach.slot_of. The count
 * of its own task is that of the row's first event, not of the event. */
const uint32_t *reach_row(const struct reach *r, event_id id);

#endif
