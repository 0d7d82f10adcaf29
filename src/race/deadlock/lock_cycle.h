/* Cycles of requests: each of several tasks asks for a lock that the next one holds, the last for
 * one that the first holds. Nothing keeps them from meeting as far as the lock order says: no two
 * hold a common lock (a gate), and no request must come before another (creation, join, messages).
 * These are the candidates for deadlocks (docs/theory/races-semantics.md, Deadlocks). */
#ifndef CLEW_RACE_DEADLOCK_LOCK_CYCLE_H
#define CLEW_RACE_DEADLOCK_LOCK_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limit.h"
#include "base/vec.h"
#include "order/hb.h"
#include "race/deadlock/lock_graph.h"

/* A cycle that begins with its lowest request: lock_cycles.members[first .. first + count). */
struct lock_cycle {
    uint32_t first, count;
};

/* A request on a cycle, and which of its events stands for it: one that nothing orders with those
 * of the others. */
struct lock_member {
    uint32_t request; /* in lock_graph.requests */
    uint32_t index;
};

struct lock_cycles {
    const struct lock_graph *graph;
    VEC(struct lock_cycle) list; /* short ones first */
    VEC(struct lock_member) members;
    uint64_t candidates; /* cycles without a gate, before orders are looked at */
    uint64_t
        undecided; /* cycles dropped because it takes too long to see whether they are ordered */
    bool is_incomplete; /* there may be more: the bound on steps or cycles was reached */
};

/* Finds the cycles, the short ones first, in at most a few million steps. */
void lock_cycles_find(struct lock_cycles *c, const struct lock_graph *g, struct limit_watch *watch);
void lock_cycles_release(struct lock_cycles *c);

/* Drops the cycles in which every choice of events has one ordered before another. hb was built
 * with HB_STRICT and REACH_ALL, without saturation. */
void lock_cycles_drop_ordered(struct lock_cycles *c, const struct hb *hb,
                              struct limit_watch *watch);

/* The event that stands for the index-th member of a cycle. */
event_id lock_cycle_event(const struct lock_cycles *c, const struct lock_cycle *cycle,
                          uint32_t index);

#endif
