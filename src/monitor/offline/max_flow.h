/* The largest flow through a network, and with it the smallest cut.
 *
 *     struct flow f = {0};
 *     flow_reset(&f, node_count);
 *     flow_add(&f, FLOW_SOURCE, a, 3);
 *     flow_add(&f, a, b, FLOW_ENDLESS);
 *     flow_add(&f, b, FLOW_SINK, 2);
 *     flow_run(&f, FLOW_ENDLESS);        2; then flow_is_source_side(&f, a) ...
 *     flow_release(&f);
 */
#ifndef CLEW_MONITOR_OFFLINE_MAX_FLOW_H
#define CLEW_MONITOR_OFFLINE_MAX_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limit.h"
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

struct flow_node {
    uint32_t first; /* of its edges */
    uint32_t now;   /* the edge to be tried */
    uint32_t level; /* steps from the source; FLOW_NONE: out of reach */
};

/* Kept from network to network, so that small ones cost no allocation. {0} is empty. */
struct flow {
    VEC(struct flow_node) nodes;
    VEC(struct flow_edge) edges;
    VEC(uint32_t) queue;
    VEC(uint32_t) path;        /* edges */
    struct limit_watch *watch; /* NULL: no limit */
};

#define FLOW_NONE UINT32_MAX

/* A network of so many nodes, the first two included, without edges. */
void flow_reset(struct flow *f, uint32_t node_count);
void flow_release(struct flow *f);

void flow_add(struct flow *f, uint32_t from, uint32_t to, int64_t room);

/* The same with so much flowing through it already, of what there is room for. Who adds such edges
 * sees to it that as much comes into each node as goes out; it is not part of what flow_run says.
 */
void flow_add_flowing(struct flow *f, uint32_t from, uint32_t to, int64_t room, int64_t flowing);

/* The largest flow from source to sink, or `enough` when it is at least that, or the watch is over.
 * Dinitz (1970): O(nodes^2 * edges), in practice near-linear on networks as shallow as ours. */
int64_t flow_run(struct flow *f, int64_t enough);

/* After a flow_run that said less than enough: whether the node is on the source's side of the
 * least of the smallest cuts. */
static inline bool flow_is_source_side(const struct flow *f, uint32_t node)
{
    return vec_at(&f->nodes, node)->level != FLOW_NONE;
}

#endif
