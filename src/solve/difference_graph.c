/* Incremental longest paths after Cotton and Maler, "Fast and flexible difference constraint
 * propagation for DPLL(T)" (SAT 2006), inverted. They lower values along shortest paths; this
 * module raises them along longest ones, because traces are built from the past to the future. A
 * new edge at the end of a chain then costs nothing. */
#include "solve/difference_graph.h"

#include "base/arena.h"

void graph_release(struct graph *g)
{
    vec_release(&g->nodes);
    vec_release(&g->edges);
    vec_release(&g->changes);
    vec_release(&g->cycle);
    vec_release(&g->heap);
    *g = (struct graph){0};
}

uint32_t graph_node(struct graph *g, int64_t value)
{
    must(g->nodes.count < UINT32_MAX);
    vec_push(&g->nodes, (struct graph_node){.value = value});
    g->value_max = value > g->value_max ? value : g->value_max;
    return (uint32_t)(g->nodes.count - 1);
}

static void heap_push(struct graph *g, struct graph_demand demand)
{
    vec_push(&g->heap, demand);
    struct graph_demand *heap = g->heap.at;
    size_t at = g->heap.count - 1;
    while (at > 0 && heap[(at - 1) / 2].rise < demand.rise) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = demand;
}

static struct graph_demand heap_pop(struct graph *g)
{
    struct graph_demand *heap = g->heap.at;
    const struct graph_demand top = heap[0];
    const struct graph_demand moved = vec_pop(&g->heap);
    const size_t count = g->heap.count;
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1].rise > heap[child].rise) {
            child++;
        }
        if (heap[child].rise <= moved.rise) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    if (count > 0) {
        heap[at] = moved;
    }
    return top;
}

/* The edge demands that its target rises with its source. */
static void demand(struct graph *g, uint32_t edge_index)
{
    const struct graph_edge *edge = &g->edges.at[edge_index];
    struct graph_node *to = &g->nodes.at[edge->to];
    const int64_t rise = g->nodes.at[edge->from].value + edge->length - to->value;
    const bool is_fresh = to->round != g->round;
    if (rise <= 0 || (!is_fresh && (to->is_done || rise <= to->rise))) {
        return;
    }
    to->round = g->round;
    to->is_done = false;
    to->rise = rise;
    to->parent = edge_index;
    heap_push(g, (struct graph_demand){.rise = rise, .node = edge->to});
}

/* Collects the tags of the new edge and of the path from its end back to its beginning. */
static void explain(struct graph *g, uint32_t new_edge)
{
    vec_clear(&g->cycle);
    uint32_t edge = g->nodes.at[g->edges.at[new_edge].from].parent;
    while (edge != new_edge) {
        vec_push(&g->cycle, g->edges.at[edge].tag);
        edge = g->nodes.at[g->edges.at[edge].from].parent;
    }
    vec_push(&g->cycle, g->edges.at[new_edge].tag);
}

static void take_back(struct graph *g)
{
    vec_each (&g->changes, change) {
        g->nodes.at[change->node].value = change->value;
    }
    vec_clear(&g->changes);
}

/* Raises nodes until the values satisfy every edge again, the largest rise first. The other edges
 * were satisfied before, so a demand never exceeds the rise that causes it, and a raised node is
 * final. When the new edge's source itself must rise, the path there and the new edge are a cycle,
 * and the rise is its length. */
static bool raise_from(struct graph *g, uint32_t new_edge)
{
    const uint32_t origin = g->edges.at[new_edge].from;
    g->round++;
    vec_clear(&g->heap);
    demand(g, new_edge);
    while (g->heap.count > 0 && g->nodes.at[origin].round != g->round) {
        const struct graph_demand top = heap_pop(g);
        struct graph_node *node = &g->nodes.at[top.node];
        if (node->is_done) {
            continue;
        }
        node->is_done = true;
        vec_push(&g->changes, (struct graph_change){.node = top.node, .value = node->value});
        node->value += node->rise;
        g->value_max = node->value > g->value_max ? node->value : g->value_max;
        for (uint32_t edge = node->last_edge; edge != 0; edge = g->edges.at[edge - 1].next) {
            g->step_count++;
            demand(g, edge - 1);
        }
    }
    if (g->nodes.at[origin].round != g->round) {
        return true;
    }
    explain(g, new_edge);
    take_back(g);
    return false;
}

bool graph_add(struct graph *g, struct graph_edge edge)
{
    must(edge.from < g->nodes.count);
    must(edge.to < g->nodes.count);
    must(g->edges.count < UINT32_MAX - 1);

    g->step_count++;
    vec_clear(&g->changes);
    struct graph_node *from = &g->nodes.at[edge.from];
    edge.next = from->last_edge;
    vec_push(&g->edges, edge);
    const uint32_t index = (uint32_t)(g->edges.count - 1);
    from->last_edge = index + 1;
    if (from->value + edge.length <= g->nodes.at[edge.to].value || raise_from(g, index)) {
        return true;
    }
    graph_truncate(g, index);
    return false;
}

void graph_truncate(struct graph *g, size_t count)
{
    must(count <= g->edges.count);
    while (g->edges.count > count) {
        const struct graph_edge edge = vec_pop(&g->edges);
        g->nodes.at[edge.from].last_edge = edge.next;
    }
}

/* The edges not yet visited, for guess_values. */
struct walk {
    uint32_t *heads;     /* by node: the first of its edges, plus one */
    uint32_t *nexts;     /* by edge: the next one of the same node, plus one */
    uint32_t *in_counts; /* by node: edges into it */
    uint32_t *ready;     /* nodes without incoming edges */
    size_t ready_count;
};

static void walk_edge(struct graph *g, struct walk *w, const struct graph_edge *edge)
{
    struct graph_node *to = &g->nodes.at[edge->to];
    const int64_t least = g->nodes.at[edge->from].value + edge->length;
    to->value = least > to->value ? least : to->value;
    g->value_max = to->value > g->value_max ? to->value : g->value_max;
    if (--w->in_counts[edge->to] == 0) {
        w->ready[w->ready_count++] = edge->to;
    }
}

/* Gives each node that no cycle leads to the least value that its edges allow, in one walk from the
 * nodes without incoming edges (Kahn's order). It is only a good guess, with no guarantee for the
 * rest. */
static void guess_values(struct graph *g, const struct graph_edge *edges, size_t count)
{
    struct arena scratch = {0};
    struct walk w = {.heads = arena_array(&scratch, uint32_t, g->nodes.count),
                     .nexts = arena_array(&scratch, uint32_t, count),
                     .in_counts = arena_array(&scratch, uint32_t, g->nodes.count),
                     .ready = arena_array(&scratch, uint32_t, g->nodes.count)};
    for (size_t i = 0; i < count; i++) {
        w.nexts[i] = w.heads[edges[i].from];
        w.heads[edges[i].from] = (uint32_t)i + 1;
        w.in_counts[edges[i].to]++;
    }
    for (uint32_t node = 0; node < g->nodes.count; node++) {
        g->nodes.at[node].value = 0;
        if (w.in_counts[node] == 0) {
            w.ready[w.ready_count++] = node;
        }
    }
    for (size_t at = 0; at < w.ready_count; at++) {
        for (uint32_t i = w.heads[w.ready[at]]; i != 0; i = w.nexts[i - 1]) {
            walk_edge(g, &w, &edges[i - 1]);
        }
    }
    arena_release(&scratch);
}

bool graph_load(struct graph *g, const struct graph_edge *edges, size_t count)
{
    must(g->edges.count == 0);
    size_t violated_count = 0;
    for (size_t i = 0; i < count; i++) {
        must(edges[i].from < g->nodes.count);
        must(edges[i].to < g->nodes.count);
        violated_count +=
            graph_value(g, edges[i].from) + edges[i].length > graph_value(g, edges[i].to);
    }
    g->step_count += count;
    if (violated_count > count / 16) {
        guess_values(g, edges, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!graph_add(g, edges[i])) {
            return false;
        }
    }
    return true;
}
