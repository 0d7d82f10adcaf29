#include "monitor/flow.h"

void flow_release(struct flow *f)
{
    vec_release(&f->edges);
    vec_release(&f->first);
    vec_release(&f->level);
    vec_release(&f->now);
    vec_release(&f->queue);
    vec_release(&f->path);
}

void flow_reset(struct flow *f, uint32_t node_count)
{
    must(node_count >= FLOW_FIRST);
    f->node_count = node_count;
    vec_clear(&f->edges);
    vec_reserve(&f->first, node_count);
    vec_reserve(&f->level, node_count);
    vec_reserve(&f->now, node_count);
    vec_reserve(&f->queue, node_count);
    vec_reserve(&f->path, node_count);
    f->first.count = f->level.count = f->now.count = node_count;
    for (uint32_t i = 0; i < node_count; i++) {
        f->first.at[i] = FLOW_NONE;
    }
}

static void add_half(struct flow *f, uint32_t from, uint32_t to, int64_t room)
{
    const struct flow_edge edge = {.to = to, .next = *vec_at(&f->first, from), .room = room};
    f->first.at[from] = (uint32_t)f->edges.count;
    vec_push(&f->edges, edge);
}

void flow_add(struct flow *f, uint32_t from, uint32_t to, int64_t room)
{
    add_half(f, from, to, room);
    add_half(f, to, from, 0);
}

/* Levels of all nodes that can still be reached; whether the sink can. */
static bool find_levels(struct flow *f)
{
    for (uint32_t i = 0; i < f->node_count; i++) {
        f->level.at[i] = FLOW_NONE;
        f->now.at[i] = f->first.at[i];
    }
    vec_clear(&f->queue);
    f->level.at[FLOW_SOURCE] = 0;
    vec_push(&f->queue, FLOW_SOURCE);
    for (size_t i = 0; i < f->queue.count; i++) {
        const uint32_t node = f->queue.at[i];
        for (uint32_t k = f->first.at[node]; k != FLOW_NONE; k = f->edges.at[k].next) {
            const struct flow_edge *edge = &f->edges.at[k];
            if (edge->room > 0 && f->level.at[edge->to] == FLOW_NONE) {
                f->level.at[edge->to] = f->level.at[node] + 1;
                vec_push(&f->queue, edge->to);
            }
        }
    }
    return f->level.at[FLOW_SINK] != FLOW_NONE;
}

/* The next edge from the node one level on, FLOW_NONE when it leads nowhere any more. */
static uint32_t next_edge(struct flow *f, uint32_t node)
{
    uint32_t *now = &f->now.at[node];
    while (*now != FLOW_NONE) {
        const struct flow_edge *edge = &f->edges.at[*now];
        if (edge->room > 0 && f->level.at[edge->to] == f->level.at[node] + 1) {
            return *now;
        }
        *now = edge->next;
    }
    return FLOW_NONE;
}

/* Sends what fits along the path, at most so much, and goes back to where it is full. */
static int64_t push_along(struct flow *f, int64_t most)
{
    int64_t amount = most;
    vec_each (&f->path, k) {
        amount = f->edges.at[*k].room < amount ? f->edges.at[*k].room : amount;
    }
    size_t full = f->path.count;
    for (size_t i = f->path.count; i-- > 0;) {
        const uint32_t k = f->path.at[i];
        f->edges.at[k].room -= amount;
        f->edges.at[k ^ 1].room += amount;
        full = f->edges.at[k].room == 0 ? i : full;
    }
    f->path.count = full;
    return amount;
}

/* Fills all shortest paths, or as many as bring `most`. */
static int64_t fill_levels(struct flow *f, int64_t most)
{
    int64_t total = 0;
    vec_clear(&f->path);
    for (;;) {
        const uint32_t node =
            f->path.count == 0 ? FLOW_SOURCE : f->edges.at[*vec_last(&f->path)].to;
        if (node == FLOW_SINK) {
            total += push_along(f, most - total);
            if (total == most) {
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
        f->now.at[f->edges.at[last ^ 1].to] = f->edges.at[last].next;
    }
}

int64_t flow_run(struct flow *f)
{
    int64_t total = 0;
    while (total < FLOW_ENDLESS && find_levels(f)) {
        total += fill_levels(f, FLOW_ENDLESS - total);
    }
    return total;
}
