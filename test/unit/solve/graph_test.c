#include "solve/difference_graph.h"

#include "test.h"
#include "wire/prng.h"

enum { NODES = 8 };

static struct graph_edge edge(uint32_t from, uint32_t to, int64_t length, uint32_t tag)
{
    return (struct graph_edge){.from = from, .to = to, .length = length, .tag = tag};
}

static void add_nodes(struct graph *g, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        CHECK_INT(graph_node(g, 0), i);
    }
}

static void check_values(const struct graph *g)
{
    vec_each (&g->edges, e) {
        CHECK(graph_value(g, e->to) >= graph_value(g, e->from) + e->length);
    }
}

TEST(an_edge_raises_its_end)
{
    struct graph g = {0};
    add_nodes(&g, 3);
    CHECK(graph_add(&g, edge(0, 1, 1, 0)));
    CHECK(graph_add(&g, edge(1, 2, 5, 0)));
    CHECK_INT(graph_value(&g, 0), 0);
    CHECK_INT(graph_value(&g, 1), 1);
    CHECK_INT(graph_value(&g, 2), 6);
    CHECK_INT(g.changes.count, 1);
    CHECK_INT(g.changes.at[0].node, 2);
    CHECK_INT(g.changes.at[0].value, 0);
    graph_release(&g);
}

TEST(a_cycle_of_length_zero_makes_its_nodes_equal)
{
    struct graph g = {0};
    add_nodes(&g, 2);
    CHECK(graph_add(&g, edge(0, 1, 3, 0)));
    CHECK(graph_add(&g, edge(1, 0, -3, 0)));
    CHECK_INT(graph_value(&g, 1) - graph_value(&g, 0), 3);
    graph_release(&g);
}

TEST(a_positive_cycle_is_refused_and_named)
{
    struct graph g = {0};
    add_nodes(&g, 4);
    CHECK(graph_add(&g, edge(0, 1, 1, 11)));
    CHECK(graph_add(&g, edge(1, 2, 0, 12)));
    CHECK(graph_add(&g, edge(3, 2, 7, 13)));
    CHECK(!graph_add(&g, edge(2, 0, 0, 14)));
    CHECK_INT(g.cycle.count, 3);
    uint32_t sum = 0;
    vec_each (&g.cycle, tag) {
        sum += *tag;
    }
    CHECK_INT(sum, 11 + 12 + 14);
    CHECK_INT(g.edges.count, 3);
    check_values(&g);
    CHECK(!graph_add(&g, edge(1, 1, 1, 15)));
    CHECK_INT(g.cycle.count, 1);
    CHECK_INT(g.cycle.at[0], 15);
    CHECK(graph_add(&g, edge(1, 1, 0, 16)));
    graph_release(&g);
}

/* Longest paths over all nodes; true when no cycle is positive. */
static bool is_satisfiable_slowly(const struct graph_edge *edges, size_t count)
{
    int64_t value[NODES] = {0};
    for (int round = 0; round <= NODES; round++) {
        bool has_changed = false;
        for (size_t i = 0; i < count; i++) {
            const int64_t least = value[edges[i].from] + edges[i].length;
            if (least > value[edges[i].to]) {
                value[edges[i].to] = least;
                has_changed = true;
            }
        }
        if (!has_changed) {
            return true;
        }
    }
    return false;
}

static int64_t cycle_length(const struct graph *g, const struct graph_edge *edges)
{
    int64_t length = 0;
    vec_each (&g->cycle, tag) {
        length += edges[*tag].length;
    }
    return length;
}

TEST(random_edges_come_and_go_as_bellman_and_ford_say)
{
    struct prng prng;
    prng_init(&prng, 5);
    uint64_t refused_count = 0;
    for (uint64_t round = 0; round < test_count(300, 20000); round++) {
        struct graph g = {0};
        add_nodes(&g, NODES);
        struct graph_edge edges[64];
        size_t count = 0;
        for (int step = 0; step < 60; step++) {
            if (prng_below(&prng, 8) == 0) {
                count = prng_below(&prng, count + 1);
                graph_truncate(&g, count);
            }
            edges[count] =
                edge((uint32_t)prng_below(&prng, NODES), (uint32_t)prng_below(&prng, NODES),
                     (int64_t)prng_below(&prng, 9) - 6, (uint32_t)count);
            const bool is_right = is_satisfiable_slowly(edges, count + 1);
            CHECK_INT(graph_add(&g, edges[count]), is_right);
            CHECK(is_right || cycle_length(&g, edges) > 0);
            refused_count += !is_right;
            count += is_right;
            CHECK_INT(g.edges.count, count);
            check_values(&g);
        }
        graph_release(&g);
    }
    CHECK(refused_count > 100);
}

TEST(a_chain_loaded_backwards_costs_linear_time)
{
    enum { LENGTH = 20000 };
    struct graph g = {0};
    add_nodes(&g, LENGTH);
    VEC(struct graph_edge) edges = {0};
    for (uint32_t i = 0; i + 1 < LENGTH; i++) {
        vec_push(&edges, edge(LENGTH - 1 - i, LENGTH - 2 - i, 1, 0));
    }
    for (uint32_t i = 0; i < LENGTH; i++) {
        g.nodes.at[i].value = i;
    }
    CHECK(graph_load(&g, edges.at, edges.count));
    CHECK(g.step_count < UINT64_C(10) * LENGTH);
    CHECK_INT(graph_value(&g, 0), LENGTH - 1);
    check_values(&g);
    vec_release(&edges);
    graph_release(&g);
}

TEST(what_is_loaded_may_not_hold_a_positive_cycle)
{
    struct graph g = {0};
    add_nodes(&g, 3);
    const struct graph_edge edges[] = {edge(0, 1, 1, 1), edge(1, 2, 1, 2), edge(2, 0, -1, 3)};
    CHECK(!graph_load(&g, edges, 3));
    CHECK_INT(g.edges.count, 2);
    check_values(&g);
    graph_release(&g);
}
