#include "random_spec.h"

#include <stdio.h>

const char *const random_processes[RANDOM_PROCESS_COUNT] = {"n1", "n2", "other node"};
const char *const random_variables[RANDOM_VARIABLE_COUNT] = {"x", "count"};

struct grower {
    struct spec *spec;
    const struct random_spec *options;
    struct prng *prng;
    VEC(uint32_t) binders;
};

static uint32_t grow_truth(struct grower *g, unsigned depth);
static uint32_t grow_number(struct grower *g, unsigned depth);

static uint64_t below(struct grower *g, uint64_t bound)
{
    return prng_below(g->prng, bound);
}

static uint32_t add(struct grower *g, struct spec_node n)
{
    vec_push(&g->spec->nodes, n);
    return (uint32_t)g->spec->nodes.count - 1;
}

static uint32_t add_tree(struct grower *g, struct spec_node n)
{
    n.is_temporal = n.op >= SPEC_NEXT && n.op <= SPEC_SINCE;
    const uint32_t children[] = {n.left, n.right};
    for (int i = 0; i < 2; i++) {
        n.is_temporal = n.is_temporal ||
                        (children[i] != SPEC_NONE && spec_at(g->spec, children[i])->is_temporal);
    }
    return add(g, n);
}

static struct spec_process grow_process(struct grower *g)
{
    const uint64_t choice = below(g, RANDOM_PROCESS_COUNT + 2 * g->binders.count);
    if (choice < RANDOM_PROCESS_COUNT) {
        return (struct spec_process){
            .name = names_intern_text(&g->spec->names, random_processes[choice]),
            .binder = SPEC_NONE};
    }
    const uint32_t binder = g->binders.at[(choice - RANDOM_PROCESS_COUNT) / 2];
    return (struct spec_process){.name = spec_at(g->spec, binder)->process.name, .binder = binder};
}

static uint32_t grow_binder(struct grower *g, enum spec_op op, unsigned depth)
{
    char name[16];
    (void)snprintf(name, sizeof name, "p%zu", g->binders.count);
    const uint32_t node =
        add(g, (struct spec_node){.op = (uint8_t)op,
                                  .right = SPEC_NONE,
                                  .process = {.name = names_intern_text(&g->spec->names, name),
                                              .binder = SPEC_NONE},
                                  .group = below(g, 2) == 0 ? 0 : g->spec->groups.at[0].name});
    vec_push(&g->binders, node);
    const struct random_spec *options = g->options;
    const struct random_spec plain = {.depth = options->depth, .has_clocks = options->has_clocks};
    g->options = op == SPEC_COUNT ? &plain : options;
    const bool is_number = op == SPEC_SUM || op == SPEC_LEAST || op == SPEC_MOST;
    const uint32_t body = is_number ? grow_number(g, depth) : grow_truth(g, depth);
    g->options = options;
    (void)vec_pop(&g->binders);
    g->spec->nodes.at[node].left = body;
    g->spec->nodes.at[node].is_temporal = spec_at(g->spec, body)->is_temporal;
    return node;
}

static uint32_t grow_leaf(struct grower *g)
{
    struct spec_node n = {.left = SPEC_NONE, .right = SPEC_NONE};
    const uint64_t choice = below(g, g->options->has_clocks ? 7 : 4);
    if (choice == 0) {
        n.op = SPEC_NUMBER;
        n.number = (int64_t)below(g, 5) - 2;
    } else if (choice == 4) {
        n.op = SPEC_NOW;
    } else if (choice == 5) {
        n.op = SPEC_STEPS;
    } else if (choice == 6) {
        n.op = SPEC_MESSAGES;
        n.process = grow_process(g);
        n.other = grow_process(g);
    } else {
        n.op = SPEC_VARIABLE;
        n.process = grow_process(g);
        n.variable =
            names_intern_text(&g->spec->names, random_variables[below(g, RANDOM_VARIABLE_COUNT)]);
    }
    return add(g, n);
}

/* The parser makes TIMES of a product by a number. */
static uint32_t grow_product(struct grower *g, unsigned depth)
{
    struct spec_node n = {.op = SPEC_PRODUCT};
    n.left = grow_number(g, depth);
    n.right = grow_number(g, depth);
    if (spec_at(g->spec, n.left)->op == SPEC_NUMBER ||
        spec_at(g->spec, n.right)->op == SPEC_NUMBER) {
        n.op = SPEC_PLUS;
    }
    return add_tree(g, n);
}

static uint32_t grow_number(struct grower *g, unsigned depth)
{
    const uint64_t choice = depth == 0 ? 0 : below(g, 12);
    struct spec_node n = {.right = SPEC_NONE};
    switch (choice) {
    case 1: n.op = SPEC_PLUS; break;
    case 2: n.op = SPEC_MINUS; break;
    case 3:
        n.op = SPEC_TIMES;
        n.number = (int64_t)below(g, 5) - 2;
        n.left = grow_number(g, depth - 1);
        return add_tree(g, n);
    case 4: return grow_binder(g, SPEC_SUM, depth - 1);
    case 5: return grow_binder(g, SPEC_COUNT, depth - 1);
    case 6: n.op = SPEC_MIN; break;
    case 7: n.op = SPEC_MAX; break;
    case 8: return grow_binder(g, below(g, 2) == 0 ? SPEC_LEAST : SPEC_MOST, depth - 1);
    case 9: return grow_product(g, depth - 1);
    default: return grow_leaf(g);
    }
    n.left = grow_number(g, depth - 1);
    n.right = grow_number(g, depth - 1);
    return add_tree(g, n);
}

static uint32_t grow_comparison(struct grower *g, unsigned depth)
{
    struct spec_node n = {.op = SPEC_COMPARE, .relation = (uint8_t)below(g, 6)};
    if (below(g, 8) == 0) {
        n = (struct spec_node){.op = SPEC_SAME,
                               .relation = (uint8_t)below(g, 2),
                               .left = SPEC_NONE,
                               .right = SPEC_NONE,
                               .process = grow_process(g),
                               .other = grow_process(g)};
        return add(g, n);
    }
    if (below(g, 12) == 0) {
        return add(g, (struct spec_node){.op = below(g, 2) == 0 ? SPEC_TRUE : SPEC_FALSE,
                                         .left = SPEC_NONE,
                                         .right = SPEC_NONE});
    }
    n.left = grow_number(g, depth);
    n.right = grow_number(g, depth);
    return add_tree(g, n);
}

static int64_t grow_bound(struct grower *g)
{
    static const int64_t bounds[] = {SPEC_UNBOUNDED, 0, 1, 3, 7, 60000000000, 1500};
    return bounds[below(g, g->options->has_long_bounds ? sizeof bounds / sizeof *bounds : 5)];
}

static uint32_t grow_truth(struct grower *g, unsigned depth)
{
    static const uint8_t ops[] = {SPEC_NOT,        SPEC_AND,    SPEC_OR,       SPEC_IMPLIES,
                                  SPEC_FORALL,     SPEC_EXISTS, SPEC_NEXT,     SPEC_UNTIL,
                                  SPEC_EVENTUALLY, SPEC_ALWAYS, SPEC_LEADS_TO, SPEC_ONCE,
                                  SPEC_SINCE};
    enum { PLAIN_COUNT = 6 };
    if (depth == 0 || below(g, 6) == 0) {
        return grow_comparison(g, depth > 2 ? 2 : depth);
    }
    const enum spec_op op = ops[below(g, g->options->is_temporal ? sizeof ops : PLAIN_COUNT)];
    struct spec_node n = {.op = (uint8_t)op, .right = SPEC_NONE};
    if (op == SPEC_FORALL || op == SPEC_EXISTS) {
        return grow_binder(g, op, depth - 1);
    }
    n.left = grow_truth(g, depth - 1);
    if (op == SPEC_EVENTUALLY || op == SPEC_ALWAYS || op == SPEC_ONCE || op == SPEC_LEADS_TO) {
        n.number = grow_bound(g);
    }
    if (op != SPEC_NOT && op != SPEC_NEXT && op != SPEC_EVENTUALLY && op != SPEC_ALWAYS &&
        op != SPEC_ONCE) {
        n.right = grow_truth(g, depth - 1);
    }
    return add_tree(g, n);
}

void random_spec(struct spec *s, const struct random_spec *options, struct prng *prng)
{
    struct grower g = {.spec = s, .options = options, .prng = prng};
    struct spec_group group = {.name = names_intern_text(&s->names, "some")};
    vec_push(&group.members, names_intern_text(&s->names, "n*"));
    vec_push(&s->groups, group);
    const uint32_t root = grow_truth(&g, options->depth);
    vec_push(&s->properties,
             (struct spec_property){.name = names_intern_text(&s->names, "odd name"),
                                    .claim = (enum spec_claim)below(&g, 3),
                                    .severity = (enum spec_severity)below(&g, 3),
                                    .root = root});
    vec_release(&g.binders);
}
