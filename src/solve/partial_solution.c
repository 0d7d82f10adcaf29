#include "solve/partial_solution.h"

/* A single rise is at most the largest bound times the nodes, which is rejected above the first
 * limit; when values pass the second, all are chosen again. */
#define RISE_MAX (UINT64_C(1) << 60)
#define VALUE_MAX (INT64_C(1) << 61)

void draft_release(struct draft *d)
{
    vec_each (&d->clauses_of, clauses) {
        vec_release(&clauses->list);
    }
    graph_release(&d->graph);
    vec_release(&d->scopes);
    vec_release(&d->clauses_of);
    vec_release(&d->registered);
    vec_release(&d->is_queued);
    vec_release(&d->queue);
    vec_release(&d->home);
    vec_release(&d->saved_at);
    *d = (struct draft){0};
}

bool draft_can_hold(const struct problem *p, uint64_t bound_size_max)
{
    return bound_size_max <= RISE_MAX / ((uint64_t)p->variable_count + 2);
}

static uint32_t node_of(uint32_t variable)
{
    return variable == SOLVE_ZERO ? 0 : variable + 1;
}

int64_t draft_excess(const struct draft *d, struct solve_atom atom)
{
    const int64_t excess = graph_value(&d->graph, node_of(atom.left)) -
                           graph_value(&d->graph, node_of(atom.right)) - atom.bound;
    if (atom.kind == SOLVE_EQUAL) {
        return excess < 0 ? -excess : excess;
    }
    return excess > 0 ? excess : 0;
}

/* --- clauses that may be broken --- */

static void enqueue(struct draft *d, uint32_t clause)
{
    if (!d->is_queued.at[clause]) {
        d->is_queued.at[clause] = true;
        vec_push(&d->queue, clause);
    }
}

static void enqueue_all(struct draft *d)
{
    for (uint32_t i = 0; i < d->clause_count; i++) {
        if (d->problem->clauses.at[i].count > 1) {
            enqueue(d, i);
        }
    }
}

static void clear_queue(struct draft *d)
{
    for (size_t i = d->queue_head; i < d->queue.count; i++) {
        d->is_queued.at[d->queue.at[i]] = false;
    }
    vec_clear(&d->queue);
    d->queue_head = 0;
}

static bool clause_holds(struct draft *d, uint32_t index)
{
    const struct solve_clause clause = d->problem->clauses.at[index];
    d->check_count++;
    bool holds = false;
    for (uint32_t i = 0; i < clause.count && !holds; i++) {
        holds = draft_excess(d, d->problem->literals.at[clause.first + i]) == 0;
    }
    return holds;
}

uint32_t draft_broken(struct draft *d)
{
    for (; d->queue_head < d->queue.count; d->queue_head++) {
        const uint32_t index = d->queue.at[d->queue_head];
        if (!clause_holds(d, index)) {
            return index;
        }
        d->is_queued.at[index] = false;
    }
    vec_clear(&d->queue);
    d->queue_head = 0;
    return DRAFT_NONE;
}

void draft_broken_all(struct draft *d, struct draft_clauses *broken)
{
    vec_clear(&broken->list);
    size_t kept = 0;
    for (size_t i = d->queue_head; i < d->queue.count; i++) {
        const uint32_t index = d->queue.at[i];
        if (clause_holds(d, index)) {
            d->is_queued.at[index] = false;
        } else {
            d->queue.at[kept++] = index;
            vec_push(&broken->list, index);
        }
    }
    d->queue_head = 0;
    d->queue.count = kept;
}

/* --- atoms in the graph --- */

/* After graph_add: queues the clauses of raised nodes for a check. */
static void take_note(struct draft *d)
{
    vec_each (&d->graph.changes, change) {
        if (d->has_home && d->saved_at.at[change->node] != d->question_count) {
            d->saved_at.at[change->node] = d->question_count;
            vec_push(&d->home, *change);
        }
        vec_each (&d->clauses_of.at[change->node].list, clause) {
            enqueue(d, *clause);
        }
    }
}

/* The edges of an atom: one, or two for an equality. */
static int atom_edges(struct solve_atom atom, uint32_t tag, struct graph_edge edges[2])
{
    const uint32_t left = node_of(atom.left);
    const uint32_t right = node_of(atom.right);
    edges[0] = (struct graph_edge){.from = left, .to = right, .length = -atom.bound, .tag = tag};
    edges[1] = (struct graph_edge){.from = right, .to = left, .length = atom.bound, .tag = tag};
    return atom.kind == SOLVE_EQUAL ? 2 : 1;
}

bool draft_choose(struct draft *d, struct solve_atom atom, uint32_t tag)
{
    struct graph_edge edges[2];
    const int count = atom_edges(atom, tag, edges);
    for (int i = 0; i < count; i++) {
        if (!graph_add(&d->graph, edges[i])) {
            return false;
        }
        take_note(d);
    }
    return true;
}

void draft_truncate(struct draft *d, size_t edge_count)
{
    graph_truncate(&d->graph, edge_count);
}

/* --- following the problem --- */

void draft_die(struct draft *d)
{
    if (!d->is_dead) {
        d->is_dead = true;
        d->dead_depth = d->scopes.count;
    }
}

static void pop_scopes(struct draft *d, size_t depth)
{
    const struct draft_scope scope = d->scopes.at[depth];
    d->scopes.count = depth;
    graph_truncate(&d->graph, scope.edge_count);
    while (d->registered.count > scope.registered_count) {
        d->clauses_of.at[vec_pop(&d->registered)].list.count--;
    }
    size_t kept = 0;
    for (size_t i = d->queue_head; i < d->queue.count; i++) {
        if (d->queue.at[i] < scope.clause_count) {
            d->queue.at[kept++] = d->queue.at[i];
        }
    }
    d->queue_head = 0;
    d->queue.count = kept;
    d->clause_count = scope.clause_count;
    d->is_queued.count = scope.clause_count;
    if (d->is_dead && d->dead_depth > depth) {
        d->is_dead = false;
    }
}

static void push_scope(struct draft *d)
{
    vec_push(&d->scopes, (struct draft_scope){.clause_count = d->clause_count,
                                              .edge_count = d->graph.edges.count,
                                              .registered_count = d->registered.count});
}

static void add_nodes(struct draft *d)
{
    while (d->graph.nodes.count < (size_t)d->problem->variable_count + 1) {
        (void)graph_node(&d->graph, (int64_t)d->graph.nodes.count);
        vec_push(&d->clauses_of, (struct draft_clauses){0});
        vec_push(&d->saved_at, 0);
    }
}

/* Adds the edges of the facts among the clauses from first to end. */
static bool add_facts(struct draft *d, size_t first, size_t end)
{
    VEC(struct graph_edge) facts = {0};
    for (size_t i = first; i < end; i++) {
        const struct solve_clause clause = d->problem->clauses.at[i];
        if (clause.count != 1) {
            continue;
        }
        struct graph_edge edges[2];
        const int count = atom_edges(d->problem->literals.at[clause.first], 0, edges);
        for (int j = 0; j < count; j++) {
            vec_push(&facts, edges[j]);
        }
    }
    bool is_consistent = true;
    if (d->graph.edges.count == 0 && facts.count > 0) {
        is_consistent = graph_load(&d->graph, facts.at, facts.count);
        enqueue_all(d);
    } else {
        for (size_t i = 0; i < facts.count && is_consistent; i++) {
            is_consistent = graph_add(&d->graph, facts.at[i]);
            take_note(d);
        }
    }
    vec_release(&facts);
    return is_consistent;
}

static void register_clause(struct draft *d, uint32_t node, uint32_t clause)
{
    vec_push(&d->clauses_of.at[node].list, clause);
    vec_push(&d->registered, node);
}

/* Registers a clause with a choice. A difference breaks only when its left side rises. */
static void add_choice(struct draft *d, uint32_t index)
{
    const struct solve_clause clause = d->problem->clauses.at[index];
    for (uint32_t i = 0; i < clause.count; i++) {
        const struct solve_atom atom = d->problem->literals.at[clause.first + i];
        register_clause(d, node_of(atom.left), index);
        if (atom.kind == SOLVE_EQUAL) {
            register_clause(d, node_of(atom.right), index);
        }
    }
    enqueue(d, index);
}

static void add_clauses(struct draft *d, size_t first, size_t end)
{
    must(first == d->clause_count);
    add_nodes(d);
    if (!add_facts(d, first, end)) {
        draft_die(d);
        return;
    }
    for (; d->clause_count < end; d->clause_count++) {
        const uint32_t count = d->problem->clauses.at[d->clause_count].count;
        vec_push(&d->is_queued, false);
        if (count == 0) {
            draft_die(d);
            return;
        }
        if (count > 1) {
            add_choice(d, (uint32_t)d->clause_count);
        }
    }
}

void draft_apply(struct draft *d, struct follow_step step)
{
    switch (step.kind) {
    case FOLLOW_POP: pop_scopes(d, step.depth); break;
    case FOLLOW_PUSH: push_scope(d); break;
    case FOLLOW_ADD:
        if (!d->is_dead) {
            add_clauses(d, step.first, step.end);
        }
        break;
    case FOLLOW_DONE: break;
    }
}

/* --- values --- */

/* The values that solved the problem before still do, also with the learnt clauses, because those
 * follow from the problem. */
void draft_begin(struct draft *d)
{
    if (d->has_home) {
        vec_each (&d->home, saved) {
            d->graph.nodes.at[saved->node].value = saved->value;
        }
        clear_queue(d);
    }
    vec_clear(&d->home);
    d->has_home = false;
}

void draft_settle(struct draft *d)
{
    add_nodes(d);
    d->question_count++;
    d->has_home = draft_broken(d) == DRAFT_NONE;
}

bool draft_is_high(const struct draft *d)
{
    return d->graph.value_max > VALUE_MAX;
}

void draft_renew(struct draft *d)
{
    VEC(struct graph_edge) edges = {0};
    vec_each (&d->graph.edges, edge) {
        vec_push(&edges, *edge);
    }
    graph_truncate(&d->graph, 0);
    for (size_t i = 0; i < d->graph.nodes.count; i++) {
        d->graph.nodes.at[i].value = (int64_t)i;
    }
    d->graph.value_max = (int64_t)d->graph.nodes.count;
    const bool is_consistent = graph_load(&d->graph, edges.at, edges.count);
    must(is_consistent);
    vec_release(&edges);
    vec_clear(&d->home);
    d->has_home = false;
    enqueue_all(d);
}

void draft_values(const struct draft *d, int64_t *values)
{
    const int64_t zero = graph_value(&d->graph, 0);
    for (uint32_t i = 0; i < d->problem->variable_count; i++) {
        values[i] = graph_value(&d->graph, i + 1) - zero;
    }
}

uint64_t draft_steps(const struct draft *d)
{
    return d->graph.step_count + d->check_count;
}
