/* The maximum flow through a network, and with it a minimum cut.
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
    uint32_t now;   /* the next edge to try */
    uint32_t level; /* distance from the source; FLOW_NONE: unreachable */
};

/* A network whose memory is reused from one problem to the next, so that small ones cost no
 * allocation. {0} is empty. */
struct flow {
    VEC(struct flow_node) nodes;
    VEC(struct flow_edge) edges;
    VEC(uint32_t) queue;
    VEC(uint32_t) path;        /* edges */
    struct limit_watch *watch; /* NULL: no limit */
};

#define FLOW_NONE UINT32_MAX

/* Starts a network of node_count nodes, the first two included, without edges. */
void flow_reset(struct flow *f, uint32_t node_count);
void flow_release(struct flow *f);

void flow_add(struct flow *f, uint32_t from, uint32_t to, int64_t room);

/* Adds an edge that already carries `flowing` of its capacity `room`. The caller keeps inflow and
 * outflow of each node equal; the initial flow is not part of the result of flow_run. */
void flow_add_flowing(struct flow *f, uint32_t from, uint32_t to, int64_t room, int64_t flowing);

/* The maximum flow from source to sink, or `enough` when it is at least that or the watch has
 * expired. Dinitz (1970): O(nodes^2 * edges), in practice near-linear on shallow networks. */
int64_t flow_run(struct flow *f, int64_t enough);

/* After a flow_run with a result below `enough`: whether the node is on the source's side of the
 * least minimum cut. */
static inline bool flow_is_source_side(const struct flow *f, uint32_t node)
{
    return vec_at(&f->nodes, node)->level != FLOW_NONE;
}

#endif
