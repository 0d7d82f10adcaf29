/* Differences are decided in rounds. libz3 gets the facts, the assumptions, and at first no clause.
 * If that has no solution, neither has the problem. If it has one, the atoms that libz3 chose enter
 * a draft (partial_solution.c), whose values then satisfy all constraints that libz3 has. libz3
 * gets the clauses that these values break for the next round. When they break none, they are a
 * solution. So libz3 has to choose among few clauses, not among all. Its own values, which take it
 * ten times longer than the verdict (1,640 variables, libz3 4.8.12), are not needed.
 *
 * Sums go to libz3 with all clauses, and the values are its own. */
#include "solve/z3_solver.h"

#include <string.h>

#include "base/fault_injection.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "solve/incremental.h"
#include "solve/partial_solution.h"
#include "solve/z3_terms.h"

struct z3_solver {
    const struct problem *problem;
    struct z3_terms terms;
    Z3_solver solver;
    bool is_lazy;               /* differences: in rounds, with a draft */
    struct solve_budget budget; /* the current settings of the solver */
    struct follow follow;
    size_t scope_count;

    struct draft draft;
    struct map literal_of;   /* the id of a choice to the number of its literal */
    VEC(uint64_t) chosen_at; /* by literal: the last round in which libz3 chose it */
    uint64_t round_count;
    struct draft_clauses given;  /* for this question */
    struct draft_clauses broken; /* in this round */
    VEC(int64_t) model;
};

/* --- the solver and its settings --- */

static void set_number(struct z3_solver *s, Z3_params params, const char *name, uint64_t value)
{
    Z3_params_set_uint(s->terms.context, params, Z3_mk_string_symbol(s->terms.context, name),
                       value > UINT32_MAX ? UINT32_MAX : (unsigned)value);
}

static void set_flag(struct z3_solver *s, Z3_params params, const char *name, bool value)
{
    Z3_params_set_bool(s->terms.context, params, Z3_mk_string_symbol(s->terms.context, name),
                       value);
}

/* The settings that were fastest on the orders of Cyclon traces (Bellman-Ford; libz3's own choice
 * takes twenty times as long) and on the monitor's cuts (the older simplex). */
static void set_up(struct z3_solver *s, struct solve_budget budget)
{
    Z3_params params = Z3_mk_params(s->terms.context);
    Z3_params_inc_ref(s->terms.context, params);
    set_flag(s, params, "auto_config", false);
    set_flag(s, params, "ctrl_c", false);
    set_number(s, params, "arith.solver", s->is_lazy ? 1 : 2);
    set_number(s, params, "relevancy", s->is_lazy ? 0 : 2);
    set_number(s, params, "timeout",
               budget.time_ns_max == 0 ? UINT32_MAX : (budget.time_ns_max + 999999) / 1000000);
    set_number(s, params, "rlimit",
               budget.step_count_max >= UINT32_MAX ? 0 : budget.step_count_max);
    Z3_solver_set_params(s->terms.context, s->solver, params);
    Z3_params_dec_ref(s->terms.context, params);
    s->budget = budget;
}

/* A fresh solver that has read nothing. */
static void start(struct z3_solver *s, bool is_lazy)
{
    Z3_solver fresh = Z3_mk_simple_solver(s->terms.context);
    if (z3_terms_have_failed(&s->terms) || fresh == NULL) {
        z3_terms_fail(&s->terms, "libz3: no solver can be made");
        return;
    }
    Z3_solver_inc_ref(s->terms.context, fresh);
    if (s->solver != NULL) {
        Z3_solver_dec_ref(s->terms.context, s->solver);
    }
    s->solver = fresh;
    s->is_lazy = is_lazy;
    s->scope_count = 0;
    follow_release(&s->follow);
    draft_release(&s->draft);
    s->draft.problem = s->problem;
    set_up(s, (struct solve_budget){0});
}

struct z3_solver *z3_solver_new(const struct solver_options *options, const struct problem *p,
                                struct err *e)
{
    struct z3_solver *s = mem_zero(1, sizeof *s);
    s->problem = p;
    if (z3_terms_open(&s->terms, options->bytes_max, e) < 0) {
        mem_free(s);
        return NULL;
    }
    start(s, true);
    if (z3_terms_have_failed(&s->terms)) {
        *e = s->terms.reason;
        z3_solver_free(s);
        return NULL;
    }
    return s;
}

void z3_solver_free(struct z3_solver *s)
{
    if (s->solver != NULL) {
        Z3_solver_dec_ref(s->terms.context, s->solver);
    }
    z3_terms_close(&s->terms);
    follow_release(&s->follow);
    draft_release(&s->draft);
    map_release(&s->literal_of);
    vec_release(&s->chosen_at);
    vec_release(&s->given.list);
    vec_release(&s->broken.list);
    vec_release(&s->model);
    mem_free(s);
}

/* --- following the problem --- */

/* Asserts a held term and releases it. */
static void assert_term(struct z3_solver *s, Z3_ast term)
{
    if (!z3_terms_have_failed(&s->terms)) {
        Z3_solver_assert(s->terms.context, s->solver, term);
    }
    z3_terms_let_go(&s->terms);
}

static void assert_clauses(struct z3_solver *s, size_t first, size_t end)
{
    for (size_t i = first; i < end && !s->terms.is_broken; i++) {
        const struct solve_clause clause = s->problem->clauses.at[i];
        if (!s->is_lazy || clause.count < 2) {
            assert_term(s, z3_terms_clause(&s->terms, s->problem, clause));
        }
    }
}

static void follow(struct z3_solver *s)
{
    while (!s->terms.is_broken) {
        const struct follow_step step = follow_next(&s->follow, s->problem);
        if (s->is_lazy) {
            draft_apply(&s->draft, step);
        }
        switch (step.kind) {
        case FOLLOW_POP:
            Z3_solver_pop(s->terms.context, s->solver, (unsigned)(s->scope_count - step.depth));
            s->scope_count = step.depth;
            break;
        case FOLLOW_PUSH:
            Z3_solver_push(s->terms.context, s->solver);
            s->scope_count++;
            break;
        case FOLLOW_ADD: assert_clauses(s, step.first, step.end); break;
        case FOLLOW_DONE: return;
        }
    }
}

/* --- verdicts --- */

static void answer_unknown(struct solve_answer *answer, enum solve_cause cause, const char *reason)
{
    answer->verdict = SOLVE_UNKNOWN;
    answer->cause = cause;
    (void)err_set(&answer->reason, "%s", reason);
}

static enum solve_verdict check(struct z3_solver *s, struct solve_answer *answer)
{
    if (seam_fails()) {
        z3_terms_fail(&s->terms, "libz3: out of memory");
        return SOLVE_UNKNOWN;
    }
    const Z3_lbool result = Z3_solver_check(s->terms.context, s->solver);
    if (z3_terms_have_failed(&s->terms)) {
        return SOLVE_UNKNOWN;
    }
    switch (result) {
    case Z3_L_TRUE: return SOLVE_SAT;
    case Z3_L_FALSE: return SOLVE_UNSAT;
    case Z3_L_UNDEF: break;
    }
    answer->cause = SOLVE_CAUSE_BUDGET;
    (void)err_set(&answer->reason, "libz3 gave up: %s",
                  Z3_solver_get_reason_unknown(s->terms.context, s->solver));
    return SOLVE_UNKNOWN;
}

/* Returns s->model if it passes the check. */
static void answer_sat(struct z3_solver *s, const struct solve_question *question,
                       struct solve_answer *answer)
{
    bool holds = problem_check(s->problem, s->model.at) < 0;
    for (size_t i = 0; i < question->assumed_count && holds; i++) {
        holds = problem_atom_holds(s->problem, question->assumed[i], s->model.at);
    }
    if (holds) {
        answer->verdict = SOLVE_SAT;
        answer->model = s->model.at;
    } else {
        z3_terms_fail(&s->terms, "libz3's solution does not satisfy the problem");
    }
}

/* --- with all clauses --- */

/* Fills s->model with libz3's values; false when one does not fit. */
static bool read_values(struct z3_solver *s, Z3_model model)
{
    vec_clear(&s->model);
    vec_reserve(&s->model, (size_t)s->problem->variable_count + 1);
    Z3_context context = s->terms.context;
    bool fits = true;
    for (uint32_t i = 0; i < s->problem->variable_count; i++) {
        Z3_ast variable = z3_terms_variable(&s->terms, i);
        Z3_func_decl name = Z3_get_app_decl(context, Z3_to_app(context, variable));
        Z3_ast value = Z3_model_get_const_interp(context, model, name);
        int64_t number = 0;
        fits = fits && (value == NULL || Z3_get_numeral_int64(context, value, &number));
        vec_push(&s->model, number);
    }
    return fits;
}

static void decide_at_once(struct z3_solver *s, const struct solve_question *question,
                           struct solve_answer *answer)
{
    answer->verdict = check(s, answer);
    if (answer->verdict != SOLVE_SAT) {
        return;
    }
    answer->verdict = SOLVE_UNKNOWN;
    Z3_model model = Z3_solver_get_model(s->terms.context, s->solver);
    if (z3_terms_have_failed(&s->terms) || model == NULL) {
        z3_terms_fail(&s->terms, "libz3: no model can be made");
        return;
    }
    Z3_model_inc_ref(s->terms.context, model);
    const bool fits = read_values(s, model);
    Z3_model_dec_ref(s->terms.context, model);
    if (!fits) {
        answer_unknown(answer, SOLVE_CAUSE_UNSUPPORTED,
                       "libz3's solution has numbers of more than 64 bits");
    } else if (!z3_terms_have_failed(&s->terms)) {
        answer_sat(s, question, answer);
    }
}

/* --- in rounds --- */

/* Gives libz3 a clause with a boolean for each of its atoms: a true one makes it hold. */
static void give_clause(struct z3_solver *s, uint32_t index)
{
    const struct solve_clause clause = s->problem->clauses.at[index];
    VEC(Z3_ast) choices = {0};
    for (uint32_t i = clause.first; i < clause.first + clause.count; i++) {
        Z3_ast choice = z3_terms_choice(&s->terms, i);
        Z3_ast atom = z3_terms_atom(&s->terms, s->problem, s->problem->literals.at[i]);
        assert_term(s, z3_terms_hold(&s->terms, Z3_mk_implies(s->terms.context, choice, atom)));
        map_put(&s->literal_of, Z3_get_ast_id(s->terms.context, choice), i);
        vec_push(&choices, choice);
    }
    assert_term(s, z3_terms_or(&s->terms, choices.at, choices.count));
    vec_release(&choices);
    vec_push(&s->given.list, index);
}

/* Records which choices are true after libz3 has found a solution. */
static void read_choices(struct z3_solver *s)
{
    s->round_count++;
    while (s->chosen_at.count < s->problem->literals.count) {
        vec_push(&s->chosen_at, 0);
    }
    Z3_ast_vector trail = Z3_solver_get_trail(s->terms.context, s->solver);
    if (z3_terms_have_failed(&s->terms) || trail == NULL) {
        z3_terms_fail(&s->terms, "libz3 does not tell what it chose");
        return;
    }
    Z3_ast_vector_inc_ref(s->terms.context, trail);
    const unsigned count = Z3_ast_vector_size(s->terms.context, trail);
    for (unsigned i = 0; i < count; i++) {
        Z3_ast term = Z3_ast_vector_get(s->terms.context, trail, i);
        const uint32_t *literal = map_get(&s->literal_of, Z3_get_ast_id(s->terms.context, term));
        if (literal != NULL && *literal < s->chosen_at.count) {
            s->chosen_at.at[*literal] = s->round_count;
        }
    }
    Z3_ast_vector_dec_ref(s->terms.context, trail);
}

/* The literal of the clause that libz3 chose, DRAFT_NONE when it reported none. */
static uint32_t chosen_literal(const struct z3_solver *s, struct solve_clause clause)
{
    for (uint32_t i = clause.first; i < clause.first + clause.count; i++) {
        if (s->chosen_at.at[i] == s->round_count) {
            return i;
        }
    }
    return DRAFT_NONE;
}

static bool choose_assumed(struct z3_solver *s, const struct solve_question *question)
{
    for (size_t i = 0; i < question->assumed_count; i++) {
        if (!draft_choose(&s->draft, question->assumed[i], 0)) {
            return false;
        }
    }
    return true;
}

/* Puts the choices of libz3 into the draft. */
static bool choose_given(struct z3_solver *s)
{
    vec_each (&s->given.list, clause) {
        const uint32_t literal = chosen_literal(s, s->problem->clauses.at[*clause]);
        if (literal == DRAFT_NONE ||
            !draft_choose(&s->draft, s->problem->literals.at[literal], 0)) {
            return false;
        }
    }
    return true;
}

/* Gives libz3 the clauses that the draft breaks; false when there are none. */
static bool give_broken(struct z3_solver *s)
{
    draft_broken_all(&s->draft, &s->broken);
    for (size_t i = 0; i < s->broken.list.count && !s->terms.is_broken; i++) {
        give_clause(s, s->broken.list.at[i]);
    }
    return s->broken.list.count > 0;
}

/* One round; true when another is needed. */
static bool try_round(struct z3_solver *s, const struct solve_question *question,
                      struct solve_answer *answer)
{
    answer->verdict = check(s, answer);
    if (answer->verdict != SOLVE_SAT) {
        return false;
    }
    answer->verdict = SOLVE_UNKNOWN;
    read_choices(s);
    if (z3_terms_have_failed(&s->terms)) {
        return false;
    }
    if (s->draft.is_dead || !choose_assumed(s, question) || !choose_given(s)) {
        z3_terms_fail(&s->terms, "libz3 found a solution where there is none");
        return false;
    }
    if (give_broken(s)) {
        return !z3_terms_have_failed(&s->terms);
    }
    vec_reserve(&s->model, (size_t)s->problem->variable_count + 1);
    draft_values(&s->draft, s->model.at);
    answer_sat(s, question, answer);
    return false;
}

/* Work done since the context was made, in libz3's measure. */
static uint64_t steps_so_far(struct z3_solver *s)
{
    Z3_context context = s->terms.context;
    Z3_stats stats = Z3_solver_get_statistics(context, s->solver);
    if (z3_terms_have_failed(&s->terms) || stats == NULL) {
        z3_terms_fail(&s->terms, "libz3: no statistics can be made");
        return 0;
    }
    Z3_stats_inc_ref(context, stats);
    uint64_t steps = 0;
    for (unsigned i = 0; i < Z3_stats_size(context, stats); i++) {
        if (strcmp(Z3_stats_get_key(context, stats, i), "rlimit count") == 0) {
            steps = Z3_stats_get_uint_value(context, stats, i);
        }
    }
    Z3_stats_dec_ref(context, stats);
    return steps;
}

/* The amount that a question has spent of its budget, measured only where there is one. */
struct meter {
    struct solve_budget budget;
    uint64_t time_begin;
    uint64_t step_begin;
};

static struct meter meter_begin(struct z3_solver *s, struct solve_budget budget)
{
    return (struct meter){.budget = budget,
                          .time_begin = budget.time_ns_max > 0 ? limit_now_ns() : 0,
                          .step_begin = budget.step_count_max > 0 ? steps_so_far(s) : 0};
}

/* Sets the solver to the rest of the budget after the rounds so far; false when nothing is left. */
static bool meter_apply(const struct meter *m, struct z3_solver *s)
{
    struct solve_budget rest = m->budget;
    if (rest.time_ns_max == 0 && rest.step_count_max == 0) {
        return true;
    }
    const uint64_t time_used = rest.time_ns_max > 0 ? limit_now_ns() - m->time_begin : 0;
    const uint64_t steps_used = rest.step_count_max > 0 ? steps_so_far(s) - m->step_begin : 0;
    if ((rest.time_ns_max > 0 && time_used >= rest.time_ns_max) ||
        (rest.step_count_max > 0 && steps_used >= rest.step_count_max)) {
        return false;
    }
    rest.time_ns_max -= time_used;
    rest.step_count_max -= steps_used;
    set_up(s, rest);
    return true;
}

static void decide_in_rounds(struct z3_solver *s, const struct solve_question *question,
                             struct solve_answer *answer)
{
    const struct meter meter = meter_begin(s, question->budget);
    const size_t edge_count = s->draft.graph.edges.count;
    vec_clear(&s->given.list);
    if (!s->draft.is_dead) {
        draft_settle(&s->draft);
        if (choose_assumed(s, question)) {
            (void)give_broken(s);
        }
        draft_truncate(&s->draft, edge_count);
    }
    while (try_round(s, question, answer)) {
        draft_truncate(&s->draft, edge_count);
        if (draft_is_high(&s->draft)) {
            draft_renew(&s->draft);
        }
        if (!meter_apply(&meter, s)) {
            answer_unknown(answer, SOLVE_CAUSE_BUDGET, "libz3's time or steps are used up");
            break;
        }
    }
    draft_truncate(&s->draft, edge_count);
    if (question->budget.step_count_max > 0) {
        answer->step_count = steps_so_far(s) - meter.step_begin;
    }
}

/* --- questions --- */

/* Whether the question is about differences whose values a draft can hold. */
static bool can_be_lazy(const struct problem *p, const struct solve_question *question)
{
    bool is_difference = p->sum_count == 0;
    uint64_t bound_size = p->bound_size_max;
    for (size_t i = 0; i < question->assumed_count; i++) {
        const struct solve_atom atom = question->assumed[i];
        is_difference = is_difference && !solve_is_sum(atom);
        bound_size = solve_bound_size(atom) > bound_size ? solve_bound_size(atom) : bound_size;
    }
    return is_difference && draft_can_hold(p, bound_size);
}

static void decide(struct z3_solver *s, const struct solve_question *question,
                   struct solve_answer *answer)
{
    if (s->is_lazy != can_be_lazy(s->problem, question)) {
        start(s, !s->is_lazy);
    }
    if (memcmp(&s->budget, &question->budget, sizeof s->budget) != 0) {
        set_up(s, question->budget);
    }
    draft_begin(&s->draft);
    follow(s);
    if (z3_terms_have_failed(&s->terms)) {
        return;
    }
    Z3_solver_push(s->terms.context, s->solver);
    for (size_t i = 0; i < question->assumed_count && !s->terms.is_broken; i++) {
        assert_term(s, z3_terms_atom(&s->terms, s->problem, question->assumed[i]));
    }
    if (z3_terms_have_failed(&s->terms)) {
        return;
    }
    if (s->is_lazy) {
        decide_in_rounds(s, question, answer);
    } else {
        decide_at_once(s, question, answer);
    }
    Z3_solver_pop(s->terms.context, s->solver, 1);
}

void z3_solver_decide(struct z3_solver *s, const struct solve_question *question,
                      struct solve_answer *answer)
{
    if (!s->terms.is_broken) {
        decide(s, question, answer);
    }
    if (z3_terms_have_failed(&s->terms)) {
        answer_unknown(answer, SOLVE_CAUSE_BROKEN, s->terms.reason.text);
    }
}
