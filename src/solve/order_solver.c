/* Search over clauses with cdcl.c, where a true atom enters a partial solution
 * (partial_solution.c), the draft. Two things differ from textbook DPLL(T):
 *
 * The draft's values are a candidate model. The solver makes a choice only for a clause that they
 * break; when none is left, they are the answer.
 *
 * Atoms occur in clauses only unnegated, so a false atom is merely unused: nothing has to be added
 * to the draft for it. */
#include "solve/order_solver.h"

#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "solve/cdcl.h"
#include "solve/incremental.h"
#include "solve/partial_solution.h"

enum {
    RESTART_CONFLICTS = 100, /* times the Luby sequence */
    FORGET_COUNT_MIN = 4000, /* learnt clauses before a deletion */
    CLOCK_STEPS = 20000,     /* between reads of the clock */
};

/* The number of an atom is its boolean variable, and its tag in the draft plus one. */
struct order_atom {
    struct solve_atom atom;
    uint32_t next; /* another atom over the same two variables, plus one */
};

/* The sizes when the problem's scope was opened. */
struct order_scope {
    size_t clause_count; /* in cdcl */
    uint32_t learnt_count;
    size_t trail_count;
    size_t trail_head;
};

struct order_solver {
    const struct problem *problem;
    struct follow follow;
    struct draft draft;
    struct cdcl cdcl;
    VEC(struct order_atom) atoms;
    struct map atom_of_pair; /* two variables to their first atom */
    VEC(struct order_scope) scopes;

    size_t trail_head;      /* true literals before it are in the draft and propagated */
    VEC(size_t) edge_marks; /* edges when each level of choices began */
    VEC(uint32_t) assumed;
    VEC(int64_t) model;
    uint32_t forget_count;
};

struct order_solver *order_solver_new(const struct problem *p)
{
    struct order_solver *s = mem_zero(1, sizeof *s);
    s->problem = p;
    s->draft.problem = p;
    s->forget_count = FORGET_COUNT_MIN;
    return s;
}

void order_solver_free(struct order_solver *s)
{
    follow_release(&s->follow);
    draft_release(&s->draft);
    cdcl_release(&s->cdcl);
    vec_release(&s->atoms);
    map_release(&s->atom_of_pair);
    vec_release(&s->scopes);
    vec_release(&s->edge_marks);
    vec_release(&s->assumed);
    vec_release(&s->model);
    mem_free(s);
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

/* --- consequences --- */

/* The atoms along the draft's cycle cannot all be true. */
static void set_conflict(struct order_solver *s)
{
    vec_clear(&s->cdcl.conflict);
    vec_each (&s->draft.graph.cycle, tag) {
        if (*tag != 0) {
            vec_push(&s->cdcl.conflict, cdcl_negated(cdcl_literal(*tag - 1)));
        }
    }
}

static bool propagate(struct order_solver *s)
{
    while (s->trail_head < s->cdcl.trail.count) {
        const uint32_t literal = s->cdcl.trail.at[s->trail_head++];
        const uint32_t number = literal >> 1;
        const bool is_negated = (literal & 1) != 0;
        if (!is_negated && !draft_choose(&s->draft, s->atoms.at[number].atom, number + 1)) {
            set_conflict(s);
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
        draft_truncate(&s->draft, s->edge_marks.at[level]);
        s->edge_marks.count = level;
        cdcl_backtrack(&s->cdcl, level);
        s->trail_head = s->cdcl.trail.count;
    }
}

static void choose_level(struct order_solver *s)
{
    vec_push(&s->edge_marks, s->draft.graph.edges.count);
    cdcl_choose(&s->cdcl);
}

/* --- following the problem --- */

static void pop_scopes(struct order_solver *s, size_t depth)
{
    const struct order_scope scope = s->scopes.at[depth];
    s->scopes.count = depth;
    cdcl_truncate(&s->cdcl, scope.clause_count);
    cdcl_unassign(&s->cdcl, scope.trail_count);
    s->trail_head = scope.trail_head;
}

static void push_scope(struct order_solver *s)
{
    vec_push(&s->scopes, (struct order_scope){.clause_count = s->cdcl.clauses.count,
                                              .learnt_count = s->cdcl.learnt_count,
                                              .trail_count = s->cdcl.trail.count,
                                              .trail_head = s->trail_head});
}

static bool add_choice(struct order_solver *s, struct solve_clause clause)
{
    VEC(uint32_t) literals = {0};
    for (uint32_t i = 0; i < clause.count; i++) {
        const struct solve_atom atom = s->problem->literals.at[clause.first + i];
        vec_push(&literals, cdcl_literal(atom_number(s, atom)));
    }
    const bool is_possible = cdcl_add(&s->cdcl, literals.at, literals.count);
    vec_release(&literals);
    return is_possible;
}

static void add_choices(struct order_solver *s, size_t first, size_t end)
{
    for (size_t i = first; i < end && !s->draft.is_dead; i++) {
        const struct solve_clause clause = s->problem->clauses.at[i];
        if (clause.count > 1 && !add_choice(s, clause)) {
            draft_die(&s->draft);
        }
    }
}

static void follow(struct order_solver *s)
{
    for (;;) {
        const struct follow_step step = follow_next(&s->follow, s->problem);
        draft_apply(&s->draft, step);
        switch (step.kind) {
        case FOLLOW_POP: pop_scopes(s, step.depth); break;
        case FOLLOW_PUSH: push_scope(s); break;
        case FOLLOW_ADD: add_choices(s, step.first, step.end); break;
        case FOLLOW_DONE: return;
        }
    }
}

/* --- search --- */

/* Of the atoms of a broken clause that are still possible, the one that the values miss least. */
static uint32_t pick_atom(struct order_solver *s, uint32_t clause_index)
{
    const struct solve_clause clause = s->problem->clauses.at[clause_index];
    uint32_t picked = CDCL_NONE;
    int64_t excess_min = 0;
    for (uint32_t i = 0; i < clause.count; i++) {
        const struct solve_atom atom = s->problem->literals.at[clause.first + i];
        const uint32_t number = atom_number(s, atom);
        const int64_t excess = draft_excess(&s->draft, atom);
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
    return draft_steps(&s->draft) + s->cdcl.step_count;
}

struct meter {
    struct solve_budget budget;
    uint64_t step_begin;
    uint64_t step_clock; /* the step of the next read of the clock */
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

/* Learns from the conflict. False when it needs no assumption: the problem is unsatisfiable. */
static bool recover(struct order_solver *s)
{
    if (cdcl_level(&s->cdcl) == 0) {
        draft_die(&s->draft);
        return false;
    }
    const uint32_t level = cdcl_analyze(&s->cdcl);
    backtrack(s, level);
    cdcl_learn(&s->cdcl, level);
    return true;
}

static void tidy(struct order_solver *s)
{
    struct order_scope scope = {0};
    if (s->scopes.count > 0) {
        scope = *vec_last(&s->scopes);
    }
    if (s->cdcl.learnt_count - scope.learnt_count > s->forget_count) {
        cdcl_forget(&s->cdcl, scope.clause_count);
        s->forget_count += s->forget_count / 10;
    }
    if (draft_is_high(&s->draft)) {
        draft_renew(&s->draft);
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
            choose_level(s); /* an empty level, so that levels and assumptions stay aligned */
            return STEP_ON;
        }
    } else {
        const uint32_t broken = draft_broken(&s->draft);
        if (broken == DRAFT_NONE) {
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
        if (conflicts_left == 0 || draft_is_high(&s->draft)) {
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

/* Whether this solver can express the question; else sets the reason. */
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
    if (!draft_can_hold(p, bound_size)) {
        (void)err_set(&answer->reason,
                      "the bounds are too large for the native solver's 64-bit values");
        return false;
    }
    return true;
}

static void give_model(struct order_solver *s, struct solve_answer *answer)
{
    vec_reserve(&s->model, (size_t)s->problem->variable_count + 1);
    draft_values(&s->draft, s->model.at);
    answer->model = s->model.at;
}

static enum solve_verdict decide(struct order_solver *s, const struct solve_question *question,
                                 struct meter *meter, struct solve_answer *answer)
{
    draft_begin(&s->draft);
    follow(s);
    if (!s->draft.is_dead && !propagate(s)) {
        draft_die(&s->draft);
    }
    if (s->draft.is_dead) {
        return SOLVE_UNSAT;
    }
    draft_settle(&s->draft);
    vec_clear(&s->assumed);
    for (size_t i = 0; i < question->assumed_count; i++) {
        vec_push(&s->assumed, atom_number(s, question->assumed[i]));
    }
    return search(s, meter, answer);
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
    answer->verdict = decide(s, question, &meter, answer);
    backtrack(s, 0);
    if (answer->verdict == SOLVE_SAT) {
        give_model(s, answer);
    }
    answer->step_count = steps_so_far(s) - meter.step_begin;
}
