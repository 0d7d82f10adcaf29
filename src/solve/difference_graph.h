/* A difference graph: difference constraints as edges, and values that satisfy all of them at once.
 *
 *          length 1              to's value is at least from's value plus the length:
 *     x ------------> y          x < y is an edge of length 1, x <= y one of length 0,
 *     ^               |          x - y <= c one from x to y of length -c
 *     '---------------'
 *          length -3             y - x <= 3; the cycle's total, -2, is not positive: satisfiable
 *
 * The values satisfy every edge in the graph at any time. Removing edges, the last added first,
 * leaves the values alone. */
#ifndef CLEW_SOLVE_DIFFERENCE_GRAPH_H
#define CLEW_SOLVE_DIFFERENCE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire/must.h"

struct graph_edge {
    uint32_t from;
    uint32_t to;
    int64_t length;
    uint32_t tag;  /* the caller's */
    uint32_t next; /* an older edge with the same `from`, plus one; 0 ends */
};

struct graph_node {
    int64_t value;
    uint32_t last_edge; /* out of this node, plus one */
    uint32_t parent;    /* while values rise: the edge that demands the most */
    int64_t rise;       /* ... and by how much */
    uint64_t round;     /* in which rise and parent were set */
    bool is_done;       /* its value was raised in that round */
};

struct graph_change {
    uint32_t node;
    int64_t value; /* before */
};

struct graph_demand {
    int64_t rise;
    uint32_t node;
};

/* {0} is the graph without nodes. */
struct graph {
    VEC(struct graph_node) nodes;
    VEC(struct graph_edge) edges;
    VEC(struct graph_change) changes; /* the nodes that the last graph_add raised */
    VEC(uint32_t) cycle;              /* the tags along the cycle that made graph_add fail */
    VEC(struct graph_demand) heap;
    uint64_t round;
    uint64_t step_count; /* edges visited since the beginning */
    int64_t value_max;   /* no value was ever larger */
};

void graph_release(struct graph *g);

/* Adds a node with this value. */
uint32_t graph_node(struct graph *g, int64_t value);

/* Adds the edge (`next` is ignored), raising values as far as needed; O(1) when they satisfy it
 * already, else near-linear in the part of the graph that rises. False, with g->cycle set and the
 * graph unchanged, when the edge would close a cycle of positive length. */
MUST_USE bool graph_add(struct graph *g, struct graph_edge edge);

/* Adds the first edges of a graph that has none, choosing new values for all nodes when theirs are
 * far from satisfying them: linear where graph_add one by one would be quadratic. False at the
 * first edge that closes a positive cycle; those before it are then in. */
MUST_USE bool graph_load(struct graph *g, const struct graph_edge *edges, size_t count);

/* Removes the edges added last, until count are left. */
void graph_truncate(struct graph *g, size_t count);

static inline int64_t graph_value(const struct graph *g, uint32_t node)
{
    must(node < g->nodes.count);
    return g->nodes.at[node].value;
}

#endif
