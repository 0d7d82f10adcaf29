/* The largest flow through a network, and with it the smallest cut.
 *
 *     struct flow f = {0};
 *     flow_reset(&f, node_count);
 *     flow_add(&f, FLOW_SOURCE, a, 3);
 *     flow_add(&f, a, b, FLOW_ENDLESS);
 *     flow_add(&f, b, FLOW_SINK, 2);
 *     flow_run(&f);                      2; then flow_is_source_side(&f, a) ...
 *     flow_release(&f);
 */
#ifndef CLEW_MONITOR_FLOW_H
#define CLEW_MONITOR_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* The first two nodes of every network. */
enum { FLOW_SOURCE, FLOW_SINK, FLOW_FIRST };

#define FLOW_ENDLESS (INT64_MAX / 4)

/* An edge and, beside it, its reverse. */
struct flow_edge {
    uint32_t to;
    uint32_t next; /* of the node it leaves; FLOW_NONE: the last */
    int64_t room;
};

/* Kept from network to network, so that small ones cost no allocation. {0} is empty. */
struct flow {
    uint32_t node_count;
    VEC(struct flow_edge) edges;
    VEC(uint32_t) first; /* per node: its edges */
    VEC(uint32_t) level; /* per node: steps from the source; FLOW_NONE: out of reach */
    VEC(uint32_t) now;   /* per node: the edge to be tried */
    VEC(uint32_t) queue;
    VEC(uint32_t) path; /* edges */
};

#define FLOW_NONE UINT32_MAX

/* A network of so many nodes, the first two included, without edges. */
void flow_reset(struct flow *f, uint32_t node_count);
void flow_release(struct flow *f);

void flow_add(struct flow *f, uint32_t from, uint32_t to, int64_t room);

/* The largest flow from source to sink, FLOW_ENDLESS when nothing bounds it. Dinitz (1970):
 * O(nodes^2 * edges), in practice near-linear on networks as shallow as ours. */
int64_t flow_run(struct flow *f);

/* After flow_run: whether the node is on the source's side of the least of the smallest cuts. */
static inline bool flow_is_source_side(const struct flow *f, uint32_t node)
{
    return *vec_at(&f->level, node) != FLOW_NONE;
}

#endif
