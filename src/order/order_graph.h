/* The order graph: contexts as chains, and edges between them, each with its reason. */
#ifndef CLEW_ORDER_ORDER_GRAPH_H
#define CLEW_ORDER_ORDER_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "order/context.h"

/* The relation of the source of an edge to its target. */
enum edge_kind {
    EDGE_HANDLER,    /* is reached before the handler of */
    EDGE_HANDLED,    /* ends the handler before */
    EDGE_FORK,       /* creates the task of */
    EDGE_JOIN,       /* ends what is joined by */
    EDGE_MESSAGE,    /* sends the message received by */
    EDGE_STREAM,     /* ends the bytes before those received by */
    EDGE_CONNECT,    /* requests the connection accepted by */
    EDGE_CLOSE,      /* closes the connection seen by */
    EDGE_ATOMIC,     /* stores the value loaded by */
    EDGE_SEMAPHORE,  /* raises the semaphore lowered by */
    EDGE_BARRIER,    /* arrives at the barrier of */
    EDGE_ONCE,       /* completes the initialization seen by */
    EDGE_ANNOTATION, /* is declared to come before */
    EDGE_GIVEN,      /* is ordered by the user before */
    EDGE_WITHIN,     /* begins the section ended by */
    EDGE_SECTION,    /* releases the lock before */
    EDGE_NOTIFY,     /* wakes */
    EDGE_EXCLUSION,  /* ends before capacity is free for */
};

struct edge {
    event_id from;
    event_id to;
    enum edge_kind kind;
};

/* Edges under construction, in any order; duplicates do no harm. {0} is empty. */
struct edges {
    VEC(struct edge) list;
};

void edges_add(struct edges *e, event_id from, event_id to, enum edge_kind kind);
void edges_release(struct edges *e);

/* One end of an edge at `position` of a context; the other end is `event`. */
struct graph_end {
    uint32_t position;
    event_id event;
    uint32_t twin; /* the other end: its place in graph.out for one of graph.in, and the reverse */
    enum edge_kind kind;
};

struct graph_span {
    const struct graph_end *at;
    size_t count;
};

/* Edges by context and position of their target (in) and of their source (out). Program order
 * within a context is not among them; main chain to handler and back (HANDLER, HANDLED) are. */
struct graph {
    const struct contexts *contexts;
    size_t edge_count;
    const struct graph_end *in, *out;
    const uint32_t *in_first, *out_first; /* per context, and one more */
};

/* Lays the edges out, into the arena. O(events + edges). */
void graph_build(struct graph *g, const struct contexts *c, const struct edges *e, struct arena *a);

/* All edges into, and out of, a context, by position. */
static inline struct graph_span graph_into(const struct graph *g, uint32_t context)
{
    const uint32_t first = g->in_first[context];
    return (struct graph_span){g->in + first, g->in_first[context + 1] - first};
}

static inline struct graph_span graph_out_of(const struct graph *g, uint32_t context)
{
    const uint32_t first = g->out_first[context];
    return (struct graph_span){g->out + first, g->out_first[context + 1] - first};
}

/* The part of a span that stands at one position, or at it and all later ones. O(log). */
struct graph_span graph_span_at(struct graph_span s, uint32_t position);
struct graph_span graph_span_from(struct graph_span s, uint32_t position);

#endif
