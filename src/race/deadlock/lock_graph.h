/* The lock-order graph: which tasks ask for which locks while they hold others, as far as that can
 * be part of a cycle.
 *
 *     T1  acq a  acq b        request {T1, b, holding {a}}      a -> b
 *     T2  acq b  acq a        request {T2, a, holding {b}}      b -> a      a cycle: both are kept
 *     T3  acq c  acq a        request {T3, a, holding {c}}      c -> a      nobody holds a and asks
 *                                                                          for c: left out
 *
 * Requests by one task that look alike (lock, mode, source place, and the same of every lock held)
 * are one; it has every event that it stands for. A request that cannot block for ever (trylock,
 * a time limit) is none, though the lock it takes is held like any other. (Abstract acquires: Tunc,
 * Mathur, Pavlogiannis and Viswanathan, PLDI 2023; here with modes and places.) */
#ifndef CLEW_RACE_DEADLOCK_LOCK_GRAPH_H
#define CLEW_RACE_DEADLOCK_LOCK_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "order/section.h"
#include "race/access_classes.h"
#include "trace/trace.h"

/* A lock in the hands of a task. */
struct lock_held {
    uint32_t lock; /* in sections.locks */
    bool is_shared;
    uint32_t location; /* where it was taken */
};

struct lock_request {
    uint32_t task;
    uint32_t lock;
    bool is_shared;
    bool is_of_process; /* an fcntl lock, which blocks other processes only */
    uint32_t location;
    uint32_t held_first, held_count; /* in lock_graph.held, in the order they were taken */
    uint32_t first, count;           /* its sections are lock_graph.sections[first .. + count) */
};

struct lock_graph {
    const struct trace *trace;
    const struct sections *all;
    VEC(struct lock_held) held;
    VEC(struct lock_request) requests; /* in listed order of their first events */
    const uint32_t *sections;          /* sections that requests ask for, in listed order */
    struct map by_locks; /* (lock held, lock asked for) to the first of its list, plus one */
    VEC(uint32_t) alike; /* places in the lists of by_locks: a request, and then */
    VEC(uint32_t) next;  /* the next place, plus one; 0: the last */
    const uint32_t *holders_first; /* per lock, and one more: requests that hold it ... */
    const uint32_t *holders;       /* ... in the order of their numbers */
    struct arena arena;
};

/* Finds the requests, within the filter's span of time if it is not NULL, that can be part of a
 * cycle in the trace's sections. O(sections * depth). */
void lock_graph_build(struct lock_graph *g, const struct trace *t, const struct sections *s,
                      const struct access_filter *span);
void lock_graph_release(struct lock_graph *g);

/* The event of the index-th request that this one stands for. */
static inline event_id lock_request_event(const struct lock_graph *g, const struct lock_request *r,
                                          uint32_t index)
{
    must(index < r->count);
    return g->all->list[g->sections[r->first + index]].begin;
}

/* Whether `holder` holds the lock that `asker` asks for, in a way that blocks it. */
bool lock_request_is_blocked(const struct lock_graph *g, const struct lock_request *asker,
                             const struct lock_request *holder);

/* Whether the two hold a lock in common, not both shared: a gate that they cannot both be
 * behind. */
bool lock_requests_have_gate(const struct lock_graph *g, const struct lock_request *a,
                             const struct lock_request *b);

#endif
