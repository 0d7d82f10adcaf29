#include "solve/z3_solver.h"

#include <stdio.h>
#include <string.h>
#include <z3.h>

#include "base/mem.h"
#include "base/seam.h"

/* libz3 tells of errors through a function without an argument of ours; the first is kept here
 * until the call into this file that caused it looks. */
static _Thread_local struct err z3_failure;
static _Thread_local bool z3_has_failed;

static void on_error(Z3_context context, Z3_error_code code)
{
    if (!z3_has_failed) {
        z3_has_failed = true;
        (void)err_set(&z3_failure, "libz3: %s", Z3_get_error_msg(context, code));
    }
}

struct z3_solver {
    const struct problem *problem;
    Z3_context context;
    Z3_solver solver;
    bool has_sums; /* set up for sums; else for differences only */
    bool is_broken;
    struct err reason; /* why it broke */

    Z3_sort integer;
    Z3_ast zero;
    VEC(Z3_ast) variables; /* made on first use of each number, and kept */
    VEC(Z3_ast) terms;     /* in use while a constraint is put together */

    VEC(uint64_t) scope_ids; /* of the problem, as far as it was followed */
    VEC(size_t) scope_marks; /* clauses of the problem when each was opened */
    size_t clause_count;
    VEC(int64_t) model;
};

static void break_down(struct z3_solver *s)
{
    if (!s->is_broken) {
        s->is_broken = true;
        s->reason = z3_failure;
    }
    z3_has_failed = false;
}

/* Keeps what libz3 made until let_go; when it could not be made, something harmless stands in and
 * the solver is broken. */
static Z3_ast hold(struct z3_solver *s, Z3_ast term)
{
    if (z3_has_failed || term == NULL) {
        break_down(s);
        return s->zero;
    }
    Z3_inc_ref(s->context, term);
    vec_push(&s->terms, term);
    return term;
}

static void let_go(struct z3_solver *s)
{
    vec_each (&s->terms, term) {
        Z3_dec_ref(s->context, *term);
    }
    vec_clear(&s->terms);
    if (z3_has_failed) {
        break_down(s);
    }
}

static Z3_symbol symbol_of(struct z3_solver *s, const char *text)
{
    return Z3_mk_string_symbol(s->context, text);
}

/* The settings that were fastest on the orders of Cyclon traces (differences: Bellman-Ford with
 * every relation asserted, in place of libz3's choice by size) and on the monitor's cuts (sums). */
static void set_up(struct z3_solver *s, const struct solve_budget *budget)
{
    Z3_params params = Z3_mk_params(s->context);
    Z3_params_inc_ref(s->context, params);
    Z3_params_set_bool(s->context, params, symbol_of(s, "auto_config"), false);
    Z3_params_set_bool(s->context, params, symbol_of(s, "ctrl_c"), false);
    Z3_params_set_uint(s->context, params, symbol_of(s, "arith.solver"), s->has_sums ? 2 : 1);
    Z3_params_set_uint(s->context, params, symbol_of(s, "relevancy"), s->has_sums ? 2 : 0);
    const uint64_t time_ms = (budget->time_ns_max + 999999) / 1000000;
    Z3_params_set_uint(s->context, params, symbol_of(s, "timeout"),
                       time_ms == 0 || time_ms > UINT32_MAX ? UINT32_MAX : (unsigned)time_ms);
    Z3_params_set_uint(s->context, params, symbol_of(s, "rlimit"),
                       budget->step_count_max > UINT32_MAX ? 0 : (unsigned)budget->step_count_max);
    Z3_solver_set_params(s->context, s->solver, params);
    Z3_params_dec_ref(s->context, params);
    if (z3_has_failed) {
        break_down(s);
    }
}

static int open_context(struct z3_solver *s, const struct solver_options *options)
{
    if (options->bytes_max > 0) {
        char megabytes[24];
        (void)snprintf(megabytes, sizeof megabytes, "%llu",
                       (unsigned long long)(options->bytes_max / 1000000 + 1));
        Z3_global_param_set("memory_max_size", megabytes);
    }
    Z3_config config = Z3_mk_config();
    s->context = seam_fails() ? NULL : Z3_mk_context_rc(config);
    Z3_del_config(config);
    if (s->context == NULL) {
        return -1;
    }
    Z3_set_error_handler(s->context, on_error);
    s->solver = Z3_mk_simple_solver(s->context);
    if (s->solver == NULL) {
        return -1;
    }
    Z3_solver_inc_ref(s->context, s->solver);
    s->integer = Z3_mk_int_sort(s->context);
    s->zero = Z3_mk_int64(s->context, 0, s->integer);
    if (s->zero == NULL) {
        return -1;
    }
    Z3_inc_ref(s->context, s->zero);
    set_up(s, &(struct solve_budget){0});
    return s->is_broken ? -1 : 0;
}

struct z3_solver *z3_solver_new(const struct solver_options *options, const struct problem *p,
                                struct err *e)
{
    struct z3_solver *s = mem_zero(1, sizeof *s);
    s->problem = p;
    z3_has_failed = false;
    if (open_context(s, options) < 0) {
        (void)err_set(e, "%s",
                      s->is_broken    ? s->reason.text
                      : z3_has_failed ? z3_failure.text
                                      : "libz3: no context can be made");
        z3_solver_free(s);
        return NULL;
    }
    return s;
}

void z3_solver_free(struct z3_solver *s)
{
    if (s->context != NULL) {
        vec_each (&s->terms, term) {
            Z3_dec_ref(s->context, *term);
        }
        vec_each (&s->variables, variable) {
            Z3_dec_ref(s->context, *variable);
        }
        if (s->zero != NULL) {
            Z3_dec_ref(s->context, s->zero);
        }
        if (s->solver != NULL) {
            Z3_solver_dec_ref(s->context, s->solver);
        }
        Z3_del_context(s->context);
    }
    vec_release(&s->variables);
    vec_release(&s->terms);
    vec_release(&s->scope_ids);
    vec_release(&s->scope_marks);
    vec_release(&s->model);
    mem_free(s);
}

/* --- problems as libz3's terms --- */

static Z3_ast variable_term(struct z3_solver *s, uint32_t variable)
{
    if (variable == SOLVE_ZERO) {
        return s->zero;
    }
    while (s->variables.count <= variable && !s->is_broken) {
        const int number = (int)s->variables.count;
        Z3_ast made = Z3_mk_const(s->context, Z3_mk_int_symbol(s->context, number), s->integer);
        if (z3_has_failed || made == NULL) {
            break_down(s);
            break;
        }
        Z3_inc_ref(s->context, made);
        vec_push(&s->variables, made);
    }
    return variable < s->variables.count ? s->variables.at[variable] : s->zero;
}

static Z3_ast number_term(struct z3_solver *s, int64_t number)
{
    return hold(s, Z3_mk_int64(s->context, number, s->integer));
}

static Z3_ast sum_term(struct z3_solver *s, struct solve_atom atom)
{
    VEC(Z3_ast) weighted = {0};
    for (uint32_t i = 0; i < atom.term_count; i++) {
        const struct solve_term term = s->problem->terms.at[atom.first_term + i];
        Z3_ast factors[2] = {number_term(s, term.weight), variable_term(s, term.variable)};
        vec_push(&weighted, hold(s, Z3_mk_mul(s->context, 2, factors)));
    }
    must(weighted.count > 0);
    Z3_ast sum = hold(s, Z3_mk_add(s->context, (unsigned)weighted.count, weighted.at));
    vec_release(&weighted);
    return sum;
}

/* left - right, or only one of them where the other is zero: the form that difference logic
 * recognizes. */
static Z3_ast difference_term(struct z3_solver *s, struct solve_atom atom)
{
    Z3_ast sides[2] = {variable_term(s, atom.left), variable_term(s, atom.right)};
    if (atom.right == SOLVE_ZERO) {
        return sides[0];
    }
    return hold(s, Z3_mk_sub(s->context, 2, sides));
}

static Z3_ast atom_term(struct z3_solver *s, struct solve_atom atom)
{
    Z3_ast left = solve_is_sum(atom) ? sum_term(s, atom) : difference_term(s, atom);
    Z3_ast bound = number_term(s, atom.bound);
    Z3_ast at_most = hold(s, Z3_mk_le(s->context, left, bound));
    if (atom.kind == SOLVE_DIFFERENCE || atom.kind == SOLVE_SUM) {
        return at_most;
    }
    Z3_ast both[2] = {at_most, hold(s, Z3_mk_ge(s->context, left, bound))};
    return hold(s, Z3_mk_and(s->context, 2, both));
}

static void assert_clause(struct z3_solver *s, struct solve_clause clause)
{
    VEC(Z3_ast) atoms = {0};
    for (uint32_t i = 0; i < clause.count; i++) {
        vec_push(&atoms, atom_term(s, s->problem->literals.at[clause.first + i]));
    }
    Z3_ast term = atoms.count == 0 ? hold(s, Z3_mk_false(s->context))
                  : atoms.count == 1
                      ? atoms.at[0]
                      : hold(s, Z3_mk_or(s->context, (unsigned)atoms.count, atoms.at));
    vec_release(&atoms);
    if (!s->is_broken) {
        Z3_solver_assert(s->context, s->solver, term);
    }
    let_go(s);
}

/* --- following the problem --- */

static void undo_scopes(struct z3_solver *s, size_t depth)
{
    Z3_solver_pop(s->context, s->solver, (unsigned)(s->scope_ids.count - depth));
    s->clause_count = s->scope_marks.at[depth];
    s->scope_ids.count = depth;
    s->scope_marks.count = depth;
}

/* A problem that begins or ceases to have sums is read again from its beginning. */
static void choose_logic(struct z3_solver *s, bool has_sums)
{
    if (s->has_sums == has_sums) {
        return;
    }
    s->has_sums = has_sums;
    Z3_solver fresh = Z3_mk_simple_solver(s->context);
    if (z3_has_failed || fresh == NULL) {
        break_down(s);
        return;
    }
    Z3_solver_inc_ref(s->context, fresh);
    Z3_solver_dec_ref(s->context, s->solver);
    s->solver = fresh;
    s->clause_count = 0;
    s->scope_ids.count = 0;
    s->scope_marks.count = 0;
}

static void follow(struct z3_solver *s)
{
    const struct problem *p = s->problem;
    size_t common = 0;
    while (common < s->scope_ids.count && common < p->scopes.count &&
           s->scope_ids.at[common] == p->scopes.at[common].id) {
        common++;
    }
    if (common < s->scope_ids.count) {
        undo_scopes(s, common);
    }
    while (!s->is_broken) {
        const bool is_last = s->scope_ids.count == p->scopes.count;
        const size_t end =
            is_last ? p->clauses.count : p->scopes.at[s->scope_ids.count].clause_count;
        for (; s->clause_count < end && !s->is_broken; s->clause_count++) {
            assert_clause(s, p->clauses.at[s->clause_count]);
        }
        if (is_last) {
            break;
        }
        const uint64_t id = p->scopes.at[s->scope_ids.count].id;
        vec_push(&s->scope_marks, s->clause_count);
        vec_push(&s->scope_ids, id);
        Z3_solver_push(s->context, s->solver);
    }
    if (z3_has_failed) {
        break_down(s);
    }
}

/* --- answers --- */

/* Fills s->model; false when a value does not fit. */
static bool read_model(struct z3_solver *s)
{
    Z3_model model = Z3_solver_get_model(s->context, s->solver);
    if (z3_has_failed || model == NULL) {
        break_down(s);
        return false;
    }
    Z3_model_inc_ref(s->context, model);
    vec_clear(&s->model);
    vec_reserve(&s->model, (size_t)s->problem->variable_count + 1);
    bool fits = true;
    for (uint32_t i = 0; i < s->problem->variable_count; i++) {
        int64_t value = 0;
        if (i < s->variables.count) {
            Z3_func_decl name =
                Z3_get_app_decl(s->context, Z3_to_app(s->context, s->variables.at[i]));
            Z3_ast number = Z3_model_get_const_interp(s->context, model, name);
            fits = fits && (number == NULL || Z3_get_numeral_int64(s->context, number, &value));
        }
        vec_push(&s->model, value);
    }
    Z3_model_dec_ref(s->context, model);
    return fits && !z3_has_failed;
}

static void answer_unknown(struct solve_answer *answer, enum solve_cause cause, const char *reason)
{
    answer->verdict = SOLVE_UNKNOWN;
    answer->cause = cause;
    (void)err_set(&answer->reason, "%s", reason);
}

static bool model_holds(const struct z3_solver *s, const struct solve_question *question)
{
    bool holds = problem_check(s->problem, s->model.at) < 0;
    for (size_t i = 0; i < question->assumed_count && holds; i++) {
        holds = problem_atom_holds(s->problem, question->assumed[i], s->model.at);
    }
    return holds;
}

static void answer_sat(struct z3_solver *s, const struct solve_question *question,
                       struct solve_answer *answer)
{
    if (!read_model(s)) {
        answer_unknown(answer, SOLVE_CAUSE_UNSUPPORTED,
                       "libz3's model has numbers of more than 64 bits");
    } else if (!model_holds(s, question)) {
        answer_unknown(answer, SOLVE_CAUSE_BROKEN, "libz3's model does not satisfy the problem");
    } else {
        answer->verdict = SOLVE_SAT;
        answer->model = s->model.at;
    }
}

static void check(struct z3_solver *s, const struct solve_question *question,
                  struct solve_answer *answer)
{
    if (seam_fails()) {
        z3_has_failed = true;
        (void)err_set(&z3_failure, "libz3: out of memory");
        return;
    }
    switch (Z3_solver_check(s->context, s->solver)) {
    case Z3_L_TRUE: answer_sat(s, question, answer); return;
    case Z3_L_FALSE: answer->verdict = z3_has_failed ? SOLVE_UNKNOWN : SOLVE_UNSAT; return;
    case Z3_L_UNDEF: break;
    }
    (void)err_set(&answer->reason, "libz3 gave up: %s",
                  Z3_solver_get_reason_unknown(s->context, s->solver));
    answer->verdict = SOLVE_UNKNOWN;
    answer->cause = SOLVE_CAUSE_BUDGET;
}

static bool has_sums(const struct problem *p, const struct solve_question *question)
{
    bool found = p->sum_count > 0;
    for (size_t i = 0; i < question->assumed_count; i++) {
        found = found || solve_is_sum(question->assumed[i]);
    }
    return found;
}

void z3_solver_decide(struct z3_solver *s, const struct solve_question *question,
                      struct solve_answer *answer)
{
    z3_has_failed = false;
    choose_logic(s, has_sums(s->problem, question));
    set_up(s, &question->budget);
    follow(s);
    if (!s->is_broken) {
        Z3_solver_push(s->context, s->solver);
        for (size_t i = 0; i < question->assumed_count; i++) {
            Z3_ast term = atom_term(s, question->assumed[i]);
            if (!s->is_broken) {
                Z3_solver_assert(s->context, s->solver, term);
            }
            let_go(s);
        }
        if (!s->is_broken) {
            check(s, question, answer);
        }
        Z3_solver_pop(s->context, s->solver, 1);
    }
    if (z3_has_failed) {
        break_down(s);
    }
    if (s->is_broken) {
        answer_unknown(answer, SOLVE_CAUSE_BROKEN, s->reason.text);
    }
}
