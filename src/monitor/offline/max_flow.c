#include "monitor/offline/max_flow.h"

void flow_release(struct flow *f)
{
    vec_release(&f->nodes);
    vec_release(&f->edges);
    vec_release(&f->queue);
    vec_release(&f->path);
}

void flow_reset(struct flow *f, uint32_t node_count)
{
    must(node_count >= FLOW_FIRST);
    vec_clear(&f->edges);
    vec_reserve(&f->nodes, node_count);
    vec_reserve(&f->queue, node_count);
    vec_reserve(&f->path, node_count);
    f->nodes.count = node_count;
    for (uint32_t i = 0; i < node_count; i++) {
        f->nodes.at[i].first = FLOW_NONE;
    }
}

static void add_half(struct flow *f, uint32_t from, uint32_t to, int64_t room)
{
    struct flow_node *node = vec_at(&f->nodes, from);
    const struct flow_edge edge = {.to = to, .next = node->first, .room = room};
    node->first = (uint32_t)f->edges.count;
    vec_push(&f->edges, edge);
}

void flow_add_flowing(struct flow *f, uint32_t from, uint32_t to, int64_t room, int64_t flowing)
{
    must(from != to);
    must(flowing >= 0);
    must(flowing <= room);
    add_half(f, from, to, room - flowing);
    add_half(f, to, from, flowing);
}

void flow_add(struct flow *f, uint32_t from, uint32_t to, int64_t room)
{
    flow_add_flowing(f, from, to, room, 0);
}

/* Computes the levels of the reachable nodes, up to the sink's; true when the sink is reachable. */
static bool find_levels(struct flow *f)
{
    struct flow_node *nodes = f->nodes.at;
    for (size_t i = 0; i < f->nodes.count; i++) {
        nodes[i].level = FLOW_NONE;
        nodes[i].now = nodes[i].first;
    }
    uint32_t *queue = f->queue.at; /* has room for all nodes */
    size_t count = 1;
    queue[0] = FLOW_SOURCE;
    nodes[FLOW_SOURCE].level = 0;
    for (size_t i = 0; i < count && nodes[FLOW_SINK].level == FLOW_NONE; i++) {
        const struct flow_node *node = &nodes[queue[i]];
        for (uint32_t k = node->first; k != FLOW_NONE; k = f->edges.at[k].next) {
            const struct flow_edge *edge = &f->edges.at[k];
            if (edge->room > 0 && nodes[edge->to].level == FLOW_NONE) {
                nodes[edge->to].level = node->level + 1;
                queue[count++] = edge->to;
            }
        }
    }
    must(count <= f->nodes.count);
    return nodes[FLOW_SINK].level != FLOW_NONE;
}

/* The next edge from the node to the next level; FLOW_NONE when there is none left. */
static uint32_t next_edge(struct flow *f, uint32_t node)
{
    struct flow_node *from = &f->nodes.at[node];
    while (from->now != FLOW_NONE) {
        const struct flow_edge *edge = &f->edges.at[from->now];
        if (edge->room > 0 && f->nodes.at[edge->to].level == from->level + 1) {
            return from->now;
        }
        from->now = edge->next;
    }
    return FLOW_NONE;
}

/* Sends as much as fits along the path, at most `most`, and backtracks to the first saturated edge.
 */
static int64_t push_along(struct flow *f, int64_t most)
{
    int64_t amount = most;
    vec_each (&f->path, k) {
        amount = f->edges.at[*k].room < amount ? f->edges.at[*k].room : amount;
    }
    must(amount > 0);
    size_t full = f->path.count;
    for (size_t i = f->path.count; i-- > 0;) {
        const uint32_t k = f->path.at[i];
        f->edges.at[k].room -= amount;
        must(f->edges.at[k].room >= 0);
        f->edges.at[k ^ 1].room += amount;
        full = f->edges.at[k].room == 0 ? i : full;
    }
    must(full < f->path.count || amount == most);
    f->path.count = full;
    return amount;
}

/* Finds a blocking flow over the shortest paths, or stops at `most`. */
static int64_t fill_levels(struct flow *f, int64_t most)
{
    int64_t total = 0;
    vec_clear(&f->path);
    for (;;) {
        const uint32_t node =
            f->path.count == 0 ? FLOW_SOURCE : f->edges.at[*vec_last(&f->path)].to;
        if (node == FLOW_SINK) {
            const uint32_t step_count = (uint32_t)f->path.count;
            total += push_along(f, most - total);
            if (total == most || limit_is_over(f->watch, step_count)) {
                return total;
            }
            continue;
        }
        const uint32_t edge = next_edge(f, node);
        if (edge != FLOW_NONE) {
            vec_push(&f->path, edge);
            continue;
        }
        if (f->path.count == 0) {
            return total;
        }
        /* A dead end: the edge that led here is not tried again. */
        const uint32_t last = vec_pop(&f->path);
        f->nodes.at[f->edges.at[last ^ 1].to].now = f->edges.at[last].next;
    }
}

int64_t flow_run(struct flow *f, int64_t enough)
{
    int64_t total = 0;
    while (total < enough && find_levels(f)) {
        total += fill_levels(f, enough - total);
        must(total <= enough);
        if (limit_is_over(f->watch, (uint32_t)f->nodes.count)) {
            return enough;
        }
    }
    return total;
}
