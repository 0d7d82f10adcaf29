/* Search over clauses, as cdcl.c does it, where making an atom true adds its edges to a graph whose
 * values satisfy all edges at any time (graph.c). Two things differ from the usual way:
 *
 * The values are a model in waiting. A clause is looked at only when one of its variables rose
 * since it last held; when none is left that does not hold, the values are the answer, although
 * most atoms were never chosen. A question that moves little therefore costs little.
 *
 * Atoms occur in clauses only unnegated, so an atom that is false is one that is not used: nothing
 * has to be added to the graph for it. */
#include "solve/order_solver.h"

#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "solve/cdcl.h"
#include "solve/graph.h"

enum {
    RESTART_CONFLICTS = 100, /* times the Luby sequence */
    FORGET_COUNT_MIN = 4000, /* learnt clauses before some are forgotten */
    CLOCK_STEPS = 20000,     /* between looks at the clock */
};

/* Values stay far from overflow: a single rise is at most the largest bound times the nodes, which
 * is refused above the first limit; when values pass the second, they are chosen anew. */
#define RISE_MAX (UINT64_C(1) << 60)
#define VALUE_MAX (INT64_C(1) << 61)

/* What an atom is in the graph; the number of the atom is its boolean variable. */
struct order_atom {
    struct solve_atom atom;
    uint32_t next; /* another atom over the same two variables, plus one */
};

struct clause_list {
    VEC(uint32_t) list;
};

/* What there was when the problem's scope was opened. */
struct order_scope {
    uint64_t id;
    size_t clause_count;
    size_t edge_count;
    size_t learnable_count; /* clauses in cdcl */
    uint32_t learnt_count;
    size_t trail_count;
    size_t trail_head;
    size_t registered_count;
};

struct order_solver {
    const struct problem *problem;
    struct graph graph; /* node 0 is the constant zero, node v + 1 is variable v */
    struct cdcl cdcl;
    VEC(struct order_atom) atoms;
    struct map atom_of_pair; /* two variables to their first atom */

    VEC(struct order_scope) scopes; /* of the problem, as far as it was followed */
    size_t clause_count;
    bool is_dead;      /* a contradiction without assumptions ... */
    size_t dead_depth; /* ... with this many scopes open */

    VEC(struct clause_list) clauses_of; /* the clauses that a rise of the node may break */
    VEC(uint32_t) registered;           /* the nodes in the order in which clauses were put there */
    VEC(bool) is_queued;
    VEC(uint32_t) queue; /* clauses that may not hold, from queue_head on */
    size_t queue_head;

    size_t trail_head;      /* true literals before it are in the graph and propagated */
    VEC(size_t) edge_marks; /* edges when each level of choices began */

    bool has_home;                 /* the values before the question solve the problem */
    VEC(struct graph_change) home; /* those that have changed since */
    VEC(uint64_t) saved_at;        /* by node: the question that put it in `home` */
    uint64_t question_count;

    VEC(uint32_t) assumed;
    VEC(int64_t) model;
    uint64_t check_count; /* clauses looked at */
    uint32_t forget_count;
};

struct order_solver *order_solver_new(const struct problem *p)
{
    struct order_solver *s = mem_zero(1, sizeof *s);
    s->problem = p;
    s->forget_count = FORGET_COUNT_MIN;
    return s;
}

void order_solver_free(struct order_solver *s)
{
    vec_each (&s->clauses_of, clauses) {
        vec_release(&clauses->list);
    }
    graph_release(&s->graph);
    cdcl_release(&s->cdcl);
    vec_release(&s->atoms);
    map_release(&s->atom_of_pair);
    vec_release(&s->scopes);
    vec_release(&s->clauses_of);
    vec_release(&s->registered);
    vec_release(&s->is_queued);
    vec_release(&s->queue);
    vec_release(&s->edge_marks);
    vec_release(&s->home);
    vec_release(&s->saved_at);
    vec_release(&s->assumed);
    vec_release(&s->model);
    mem_free(s);
}

static uint32_t node_of(uint32_t variable)
{
    return variable == SOLVE_ZERO ? 0 : variable + 1;
}

/* The number of the atom, made when it is new. */
static uint32_t atom_number(struct order_solver *s, struct solve_atom atom)
{
    uint32_t *first = map_slot(&s->atom_of_pair, map_pair(atom.left, atom.right), 0, NULL);
    for (uint32_t i = *first; i != 0; i = s->atoms.at[i - 1].next) {
        const struct solve_atom known = s->atoms.at[i - 1].atom;
        if (known.kind == atom.kind && known.bound == atom.bound) {
            return i - 1;
        }
    }
    vec_push(&s->atoms, (struct order_atom){.atom = atom, .next = *first});
    *first = (uint32_t)s->atoms.count;
    const uint32_t number = cdcl_variable(&s->cdcl);
    must(number == *first - 1);
    return number;
}

/* By how much the values miss the atom; 0 when it holds. */
static int64_t atom_excess(const struct order_solver *s, struct solve_atom atom)
{
    const int64_t excess = graph_value(&s->graph, node_of(atom.left)) -
                           graph_value(&s->graph, node_of(atom.right)) - atom.bound;
    if (atom.kind == SOLVE_EQUAL) {
        return excess < 0 ? -excess : excess;
    }
    return excess > 0 ? excess : 0;
}

static void enqueue(struct order_solver *s, uint32_t clause)
{
    if (!s->is_queued.at[clause]) {
        s->is_queued.at[clause] = true;
        vec_push(&s->queue, clause);
    }
}

static void enqueue_all(struct order_solver *s)
{
    for (uint32_t i = 0; i < s->clause_count; i++) {
        if (s->problem->clauses.at[i].count > 1) {
            enqueue(s, i);
        }
    }
}

static void clear_queue(struct order_solver *s)
{
    for (size_t i = s->queue_head; i < s->queue.count; i++) {
        s->is_queued.at[s->queue.at[i]] = false;
    }
    vec_clear(&s->queue);
    s->queue_head = 0;
}

/* After graph_add: the clauses of what rose are looked at again. */
static void take_note(struct order_solver *s)
{
    vec_each (&s->graph.changes, change) {
        if (s->has_home && s->saved_at.at[change->node] != s->question_count) {
            s->saved_at.at[change->node] = s->question_count;
            vec_push(&s->home, *change);
        }
        vec_each (&s->clauses_of.at[change->node].list, clause) {
            enqueue(s, *clause);
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

/* The atoms along the graph's cycle cannot all be true. */
static void set_conflict(struct order_solver *s)
{
    vec_clear(&s->cdcl.conflict);
    vec_each (&s->graph.cycle, tag) {
        if (*tag != 0) {
            vec_push(&s->cdcl.conflict, cdcl_negated(cdcl_literal(*tag - 1)));
        }
    }
}

/* Puts a true atom into the graph. */
static bool assert_atom(struct order_solver *s, uint32_t number)
{
    struct graph_edge edges[2];
    const int count = atom_edges(s->atoms.at[number].atom, number + 1, edges);
    for (int i = 0; i < count; i++) {
        if (!graph_add(&s->graph, edges[i])) {
            set_conflict(s);
            return false;
        }
        take_note(s);
    }
    return true;
}

static bool propagate(struct order_solver *s)
{
    while (s->trail_head < s->cdcl.trail.count) {
        const uint32_t literal = s->cdcl.trail.at[s->trail_head++];
        const bool is_negated = (literal & 1) != 0;
        if (!is_negated && !assert_atom(s, literal >> 1)) {
            return false;
        }
        if (!cdcl_propagate(&s->cdcl, literal)) {
            return false;
        }
    }
    return true;
}

static void backtrack(struct order_solver *s, uint32_t level)
{
    if (cdcl_level(&s->cdcl) > level) {
        graph_truncate(&s->graph, s->edge_marks.at[level]);
        s->edge_marks.count = level;
        cdcl_backtrack(&s->cdcl, level);
        s->trail_head = s->cdcl.trail.count;
    }
}

static void choose_level(struct order_solver *s)
{
    vec_push(&s->edge_marks, s->graph.edges.count);
    cdcl_choose(&s->cdcl);
}

/* --- following the problem --- */

static void die(struct order_solver *s)
{
    s->is_dead = true;
    s->dead_depth = s->scopes.count;
}

static void undo_scopes(struct order_solver *s, size_t depth)
{
    const struct order_scope scope = s->scopes.at[depth];
    s->scopes.count = depth;
    graph_truncate(&s->graph, scope.edge_count);
    cdcl_truncate(&s->cdcl, scope.learnable_count);
    cdcl_unassign(&s->cdcl, scope.trail_count);
    s->trail_head = scope.trail_head;
    while (s->registered.count > scope.registered_count) {
        s->clauses_of.at[vec_pop(&s->registered)].list.count--;
    }
    size_t kept = 0;
    for (size_t i = s->queue_head; i < s->queue.count; i++) {
        if (s->queue.at[i] < scope.clause_count) {
            s->queue.at[kept++] = s->queue.at[i];
        }
    }
    s->queue_head = 0;
    s->queue.count = kept;
    s->clause_count = scope.clause_count;
    s->is_queued.count = scope.clause_count;
    if (s->is_dead && s->dead_depth > depth) {
        s->is_dead = false;
    }
}

static void open_scope(struct order_solver *s, uint64_t id)
{
    vec_push(&s->scopes, (struct order_scope){
                             .id = id,
                             .clause_count = s->clause_count,
                             .edge_count = s->graph.edges.count,
                             .learnable_count = s->cdcl.clauses.count,
                             .learnt_count = s->cdcl.learnt_count,
                             .trail_count = s->cdcl.trail.count,
                             .trail_head = s->trail_head,
                             .registered_count = s->registered.count,
                         });
}

/* Adds the edges of the clauses of one atom among those from first to end: facts. */
static bool add_facts(struct order_solver *s, size_t first, size_t end)
{
    VEC(struct graph_edge) facts = {0};
    for (size_t i = first; i < end; i++) {
        const struct solve_clause clause = s->problem->clauses.at[i];
        if (clause.count != 1) {
            continue;
        }
        struct graph_edge edges[2];
        const int count = atom_edges(s->problem->literals.at[clause.first], 0, edges);
        for (int j = 0; j < count; j++) {
            vec_push(&facts, edges[j]);
        }
    }
    bool is_consistent = true;
    if (s->graph.edges.count == 0 && facts.count > 0) {
        is_consistent = graph_load(&s->graph, facts.at, facts.count);
        enqueue_all(s);
    } else {
        for (size_t i = 0; i < facts.count && is_consistent; i++) {
            is_consistent = graph_add(&s->graph, facts.at[i]);
            take_note(s);
        }
    }
    vec_release(&facts);
    return is_consistent;
}

static void register_clause(struct order_solver *s, uint32_t node, uint32_t clause)
{
    vec_push(&s->clauses_of.at[node].list, clause);
    vec_push(&s->registered, node);
}

/* Adds a clause with a choice. A difference breaks only when its left side rises. */
static bool add_choice(struct order_solver *s, uint32_t clause_index)
{
    const struct solve_clause clause = s->problem->clauses.at[clause_index];
    VEC(uint32_t) literals = {0};
    for (uint32_t i = 0; i < clause.count; i++) {
        const struct solve_atom atom = s->problem->literals.at[clause.first + i];
        vec_push(&literals, cdcl_literal(atom_number(s, atom)));
        register_clause(s, node_of(atom.left), clause_index);
        if (atom.kind == SOLVE_EQUAL) {
            register_clause(s, node_of(atom.right), clause_index);
        }
    }
    enqueue(s, clause_index);
    const bool is_possible = cdcl_add(&s->cdcl, literals.at, literals.count);
    vec_release(&literals);
    return is_possible;
}

static void add_clauses(struct order_solver *s, size_t end)
{
    const size_t first = s->clause_count;
    must(first <= end);
    if (!add_facts(s, first, end)) {
        die(s);
        return;
    }
    for (; s->clause_count < end; s->clause_count++) {
        vec_push(&s->is_queued, false);
        if (s->problem->clauses.at[s->clause_count].count != 1 &&
            !add_choice(s, (uint32_t)s->clause_count)) {
            die(s);
            return;
        }
    }
}

/* Brings the solver to the problem's present state. After a contradiction nothing more is read
 * until the scope in which it arose is popped. */
static void follow(struct order_solver *s)
{
    const struct problem *p = s->problem;
    size_t common = 0;
    while (common < s->scopes.count && common < p->scopes.count &&
           s->scopes.at[common].id == p->scopes.at[common].id) {
        common++;
    }
    if (common < s->scopes.count) {
        undo_scopes(s, common);
    }
    while (s->graph.nodes.count < (size_t)p->variable_count + 1) {
        (void)graph_node(&s->graph, (int64_t)s->graph.nodes.count);
        vec_push(&s->clauses_of, (struct clause_list){0});
        vec_push(&s->saved_at, 0);
    }
    while (!s->is_dead) {
        const bool is_last = s->scopes.count == p->scopes.count;
        add_clauses(s, is_last ? p->clauses.count : p->scopes.at[s->scopes.count].clause_count);
        if (is_last || s->is_dead) {
            break;
        }
        open_scope(s, p->scopes.at[s->scopes.count].id);
    }
}

/* --- home --- */

/* Back to the values that solved the problem before the last question. They still do, with all that
 * was learnt, because what is learnt follows from the problem. */
static void go_home(struct order_solver *s)
{
    if (s->has_home) {
        vec_each (&s->home, saved) {
            s->graph.nodes.at[saved->node].value = saved->value;
        }
        clear_queue(s);
    }
    vec_clear(&s->home);
    s->has_home = false;
}

/* Chooses all values anew from the facts, when they have drifted too far up. */
static void renew_values(struct order_solver *s)
{
    VEC(struct graph_edge) edges = {0};
    vec_each (&s->graph.edges, edge) {
        vec_push(&edges, *edge);
    }
    graph_truncate(&s->graph, 0);
    for (size_t i = 0; i < s->graph.nodes.count; i++) {
        s->graph.nodes.at[i].value = (int64_t)i;
    }
    s->graph.value_max = (int64_t)s->graph.nodes.count;
    const bool is_consistent = graph_load(&s->graph, edges.at, edges.count);
    must(is_consistent);
    vec_release(&edges);
    vec_clear(&s->home);
    s->has_home = false;
    enqueue_all(s);
}

/* --- search --- */

/* The first queued clause that the values do not satisfy, CDCL_NONE when all hold. */
static uint32_t find_broken(struct order_solver *s)
{
    for (; s->queue_head < s->queue.count; s->queue_head++) {
        const uint32_t index = s->queue.at[s->queue_head];
        const struct solve_clause clause = s->problem->clauses.at[index];
        s->check_count++;
        bool holds = false;
        for (uint32_t i = 0; i < clause.count && !holds; i++) {
            holds = atom_excess(s, s->problem->literals.at[clause.first + i]) == 0;
        }
        if (!holds) {
            return index;
        }
        s->is_queued.at[index] = false;
    }
    vec_clear(&s->queue);
    s->queue_head = 0;
    return CDCL_NONE;
}

/* Of the atoms of a broken clause that are still possible, the one that the values miss least. */
static uint32_t pick_atom(struct order_solver *s, uint32_t clause_index)
{
    const struct solve_clause clause = s->problem->clauses.at[clause_index];
    uint32_t picked = CDCL_NONE;
    int64_t excess_min = 0;
    for (uint32_t i = 0; i < clause.count; i++) {
        const struct solve_atom atom = s->problem->literals.at[clause.first + i];
        const uint32_t number = atom_number(s, atom);
        const int64_t excess = atom_excess(s, atom);
        if (cdcl_value(&s->cdcl, cdcl_literal(number)) == CDCL_OPEN &&
            (picked == CDCL_NONE || excess < excess_min)) {
            picked = number;
            excess_min = excess;
        }
    }
    must(picked != CDCL_NONE);
    return picked;
}

/* The i-th number, from 1, of Luby, Sinclair and Zuckerman's sequence 1 1 2 1 1 2 4 1 1 2 ... */
static uint64_t luby(uint64_t i)
{
    for (;;) {
        uint64_t size = 1;
        while (size < i) {
            size = 2 * size + 1;
        }
        if (size == i) {
            return (size + 1) / 2;
        }
        i -= size / 2;
    }
}

static uint64_t steps_so_far(const struct order_solver *s)
{
    return s->graph.step_count + s->cdcl.step_count + s->check_count;
}

struct meter {
    struct solve_budget budget;
    uint64_t step_begin;
    uint64_t step_clock; /* when the clock is looked at next */
    uint64_t time_begin;
};

static bool is_spent(const struct order_solver *s, struct meter *m, struct solve_answer *answer)
{
    const uint64_t now = steps_so_far(s);
    const uint64_t step_max = m->budget.step_count_max;
    if (step_max > 0 && now - m->step_begin >= step_max) {
        (void)err_set(&answer->reason, "the native solver's %llu steps are used up",
                      (unsigned long long)step_max);
        return true;
    }
    if (m->budget.time_ns_max > 0 && now >= m->step_clock) {
        m->step_clock = now + CLOCK_STEPS;
        if (limit_now_ns() - m->time_begin >= m->budget.time_ns_max) {
            (void)err_set(&answer->reason, "the native solver's time is used up");
            return true;
        }
    }
    return false;
}

/* Learns from the conflict. False when it needs no assumption: nothing can hold. */
static bool recover(struct order_solver *s)
{
    if (cdcl_level(&s->cdcl) == 0) {
        die(s);
        return false;
    }
    const uint32_t level = cdcl_analyze(&s->cdcl);
    backtrack(s, level);
    cdcl_learn(&s->cdcl, level);
    return true;
}

static void tidy(struct order_solver *s)
{
    const size_t first = s->scopes.count == 0 ? 0 : vec_last(&s->scopes)->learnable_count;
    const uint32_t learnt_before = s->scopes.count == 0 ? 0 : vec_last(&s->scopes)->learnt_count;
    if (s->cdcl.learnt_count - learnt_before > s->forget_count) {
        cdcl_forget(&s->cdcl, first);
        s->forget_count += s->forget_count / 10;
    }
    if (s->graph.value_max > VALUE_MAX) {
        renew_values(s);
    }
}

enum step { STEP_ON, STEP_SOLVED, STEP_REFUTED };

/* Makes the next assumption true, or the next choice. */
static enum step advance(struct order_solver *s)
{
    uint32_t number = CDCL_NONE;
    if (cdcl_level(&s->cdcl) < s->assumed.count) {
        number = s->assumed.at[cdcl_level(&s->cdcl)];
        const enum cdcl_value value = cdcl_value(&s->cdcl, cdcl_literal(number));
        if (value == CDCL_FALSE) {
            return STEP_REFUTED;
        }
        if (value == CDCL_TRUE) {
            choose_level(s); /* an empty level, so that levels and assumptions stay in step */
            return STEP_ON;
        }
    } else {
        const uint32_t broken = find_broken(s);
        if (broken == CDCL_NONE) {
            return STEP_SOLVED;
        }
        number = pick_atom(s, broken);
    }
    choose_level(s);
    cdcl_assign(&s->cdcl, cdcl_literal(number), CDCL_NONE);
    return STEP_ON;
}

static enum solve_verdict search(struct order_solver *s, struct meter *meter,
                                 struct solve_answer *answer)
{
    uint64_t restart_count = 1;
    uint64_t conflicts_left = RESTART_CONFLICTS;
    for (;;) {
        if (is_spent(s, meter, answer)) {
            answer->cause = SOLVE_CAUSE_BUDGET;
            return SOLVE_UNKNOWN;
        }
        if (!propagate(s)) {
            if (!recover(s)) {
                return SOLVE_UNSAT;
            }
            conflicts_left -= conflicts_left > 0;
            continue;
        }
        if (conflicts_left == 0 || s->graph.value_max > VALUE_MAX) {
            conflicts_left = luby(++restart_count) * RESTART_CONFLICTS;
            backtrack(s, 0);
            tidy(s);
            continue;
        }
        switch (advance(s)) {
        case STEP_ON: break;
        case STEP_SOLVED: return SOLVE_SAT;
        case STEP_REFUTED: return SOLVE_UNSAT;
        }
    }
}

/* Whether this way can express the question; says why not. */
static bool is_supported(const struct problem *p, const struct solve_question *question,
                         struct solve_answer *answer)
{
    bool has_sum = p->sum_count > 0;
    uint64_t bound_size = p->bound_size_max;
    for (size_t i = 0; i < question->assumed_count; i++) {
        const struct solve_atom atom = question->assumed[i];
        has_sum = has_sum || solve_is_sum(atom);
        bound_size = solve_bound_size(atom) > bound_size ? solve_bound_size(atom) : bound_size;
    }
    if (has_sum) {
        (void)err_set(&answer->reason,
                      "the native solver decides differences, not sums; libz3 decides both");
        return false;
    }
    if (bound_size > RISE_MAX / ((uint64_t)p->variable_count + 2)) {
        (void)err_set(&answer->reason,
                      "the bounds are too large for the native solver's 64-bit values");
        return false;
    }
    return true;
}

static void give_model(struct order_solver *s, struct solve_answer *answer)
{
    vec_clear(&s->model);
    vec_reserve(&s->model, (size_t)s->problem->variable_count + 1);
    const int64_t zero = graph_value(&s->graph, 0);
    for (uint32_t i = 0; i < s->problem->variable_count; i++) {
        vec_push(&s->model, graph_value(&s->graph, i + 1) - zero);
    }
    answer->model = s->model.at;
}

void order_solver_decide(struct order_solver *s, const struct solve_question *question,
                         struct solve_answer *answer)
{
    if (!is_supported(s->problem, question, answer)) {
        answer->verdict = SOLVE_UNKNOWN;
        answer->cause = SOLVE_CAUSE_UNSUPPORTED;
        return;
    }
    struct meter meter = {.budget = question->budget, .step_begin = steps_so_far(s)};
    meter.time_begin = question->budget.time_ns_max > 0 ? limit_now_ns() : 0;

    go_home(s);
    follow(s);
    if (!s->is_dead && !propagate(s)) {
        die(s);
    }
    if (!s->is_dead) {
        s->question_count++;
        s->has_home = find_broken(s) == CDCL_NONE;
        vec_clear(&s->assumed);
        for (size_t i = 0; i < question->assumed_count; i++) {
            vec_push(&s->assumed, atom_number(s, question->assumed[i]));
        }
    }
    answer->verdict = s->is_dead ? SOLVE_UNSAT : search(s, &meter, answer);
    backtrack(s, 0);
    if (answer->verdict == SOLVE_SAT) {
        give_model(s, answer);
    }
    answer->step_count = steps_so_far(s) - meter.step_begin;
}
