/* Ancestors: which of up to 64 events come before others.
 *
 *     struct ancestors x;
 *     ancestors_build(&x, hb, &arena);
 *     ancestors_run(&x, receives, 12);
 *     if (ancestors_of(&x, send) >> 3 & 1) { ... receives[3] comes before send ... }
 *
 * Clocks (reachability.h) count main chains only, so a query about an event of a handler needs a
 * walk along the edges. For many queries, one sweep over the graph with a bit for each of 64 events
 * answers all. Nodes of the sweep are the events that have edges. */
#ifndef CLEW_ORDER_ANCESTORS_H
#define CLEW_ORDER_ANCESTORS_H

#include <stdint.h>

#include "base/arena.h"
#include "order/bucket.h"
#include "order/hb.h"

enum { ANCESTORS_MAX = 64 };

/* Arrays are the arena's that built them. */
struct ancestors {
    const struct hb *hb;
    uint32_t node_count;
    const event_id *nodes;       /* in a topological order of the graph */
    const uint32_t *node_before; /* per node: the one before it in its context, ANCESTORS_NONE */
    const uint32_t *node_first;  /* per context, and one more */
    const uint32_t *node_at;     /* node numbers, by context and position */
    const uint32_t *source;      /* per edge, by its place in graph.in: the node it comes from */
    uint32_t *in_first;          /* per node: its edges in graph.in */
    uint32_t *in_count;
    uint64_t *before; /* per node: which of the events come before it ... */
    uint64_t *after;  /* ... or are it */
    uint64_t *enter;  /* per node: those that stand right before it, or are it */
    uint32_t begin;   /* the first node swept */
};

#define ANCESTORS_NONE UINT32_MAX

/* Prepares queries on the graph of hb, which has no cycle and must not be laid out again while x is
 * in use. O(events + edges). */
void ancestors_build(struct ancestors *x, const struct hb *hb, struct arena *a);

/* Sweeps for these events, at most ANCESTORS_MAX. O(nodes + edges) behind the first of them. */
void ancestors_run(struct ancestors *x, const event_id *events, uint32_t count);

/* Bit i is set when event i of the last run comes before this event, which is in another context
 * or has an edge. O(log of the edges of its context). */
uint64_t ancestors_of(const struct ancestors *x, event_id id);

/* The number of the first node at or behind the event in its context; ANCESTORS_NONE when there is
 * none: then it precedes nothing outside of its context. */
uint32_t ancestors_node(const struct ancestors *x, event_id id);

#endif
