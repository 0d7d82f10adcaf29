#include "solve/z3_terms.h"

#include <stdio.h>

#include "base/fault_injection.h"

/* libz3 reports errors through a function without a user argument; the first is kept here until
 * z3_terms_have_failed asks. */
static _Thread_local struct err failure;
static _Thread_local bool has_failed;

static void on_error(Z3_context context, Z3_error_code code)
{
    if (!has_failed) {
        has_failed = true;
        (void)err_set(&failure, "libz3: %s", Z3_get_error_msg(context, code));
    }
}

bool z3_terms_have_failed(struct z3_terms *t)
{
    if (has_failed) {
        has_failed = false;
        z3_terms_fail(t, failure.text);
    }
    return t->is_broken;
}

void z3_terms_fail(struct z3_terms *t, const char *reason)
{
    if (!t->is_broken) {
        t->is_broken = true;
        (void)err_set(&t->reason, "%s", reason);
    }
}

static int fill(struct z3_terms *t)
{
    Z3_set_error_handler(t->context, on_error);
    t->integer = Z3_mk_int_sort(t->context);
    t->boolean = Z3_mk_bool_sort(t->context);
    t->zero = Z3_mk_int64(t->context, 0, t->integer);
    if (z3_terms_have_failed(t) || t->zero == NULL) {
        return -1;
    }
    Z3_inc_ref(t->context, t->zero);
    return 0;
}

int z3_terms_open(struct z3_terms *t, uint64_t bytes_max, struct err *e)
{
    *t = (struct z3_terms){0};
    has_failed = false;
    if (bytes_max > 0) {
        char megabytes[24];
        (void)snprintf(megabytes, sizeof megabytes, "%llu",
                       (unsigned long long)(bytes_max / 1000000 + 1));
        Z3_global_param_set("memory_max_size", megabytes);
    }
    Z3_config config = Z3_mk_config();
    t->context = seam_fails() ? NULL : Z3_mk_context_rc(config);
    Z3_del_config(config);
    if (t->context == NULL) {
        return err_set(e, "libz3: no context can be made");
    }
    if (fill(t) < 0) {
        *e = t->reason;
        z3_terms_close(t);
        return -1;
    }
    return 0;
}

void z3_terms_close(struct z3_terms *t)
{
    if (t->context != NULL) {
        z3_terms_let_go(t);
        vec_each (&t->variables, variable) {
            Z3_dec_ref(t->context, *variable);
        }
        vec_each (&t->choices, choice) {
            Z3_dec_ref(t->context, *choice);
        }
        if (t->zero != NULL) {
            Z3_dec_ref(t->context, t->zero);
        }
        Z3_del_context(t->context);
    }
    vec_release(&t->variables);
    vec_release(&t->choices);
    vec_release(&t->held);
    t->context = NULL;
}

Z3_ast z3_terms_hold(struct z3_terms *t, Z3_ast term)
{
    if (z3_terms_have_failed(t) || term == NULL) {
        z3_terms_fail(t, "libz3: a term could not be made");
        return t->zero;
    }
    Z3_inc_ref(t->context, term);
    vec_push(&t->held, term);
    return term;
}

void z3_terms_let_go(struct z3_terms *t)
{
    vec_each (&t->held, term) {
        Z3_dec_ref(t->context, *term);
    }
    vec_clear(&t->held);
}

/* A constant of this number, kept for good; zero when it cannot be made. */
static Z3_ast constant(struct z3_terms *t, int number, Z3_sort sort)
{
    Z3_ast made = NULL;
    if (!t->is_broken) {
        made = Z3_mk_const(t->context, Z3_mk_int_symbol(t->context, number), sort);
    }
    if (z3_terms_have_failed(t) || made == NULL) {
        z3_terms_fail(t, "libz3: a constant could not be made");
        made = t->zero;
    }
    Z3_inc_ref(t->context, made);
    return made;
}

Z3_ast z3_terms_variable(struct z3_terms *t, uint32_t i)
{
    must(i < INT32_MAX);
    while (t->variables.count <= i) {
        Z3_ast made = constant(t, (int)t->variables.count, t->integer);
        vec_push(&t->variables, made);
    }
    return t->variables.at[i];
}

Z3_ast z3_terms_choice(struct z3_terms *t, uint32_t i)
{
    must(i < INT32_MAX);
    while (t->choices.count <= i) {
        /* Constants of different sorts may share a name. */
        Z3_ast made = constant(t, (int)t->choices.count, t->boolean);
        vec_push(&t->choices, made);
    }
    return t->choices.at[i];
}

static Z3_ast number(struct z3_terms *t, int64_t value)
{
    return z3_terms_hold(t, Z3_mk_int64(t->context, value, t->integer));
}

static Z3_ast sum(struct z3_terms *t, const struct problem *p, struct solve_atom atom)
{
    VEC(Z3_ast) weighted = {0};
    for (uint32_t i = 0; i < atom.term_count && !t->is_broken; i++) {
        const struct solve_term term = p->terms.at[atom.first_term + i];
        Z3_ast factors[2] = {number(t, term.weight), z3_terms_variable(t, term.variable)};
        vec_push(&weighted, z3_terms_hold(t, Z3_mk_mul(t->context, 2, factors)));
    }
    must(weighted.count > 0);
    Z3_ast whole = z3_terms_hold(t, Z3_mk_add(t->context, (unsigned)weighted.count, weighted.at));
    vec_release(&weighted);
    return whole;
}

static Z3_ast side(struct z3_terms *t, uint32_t variable)
{
    return variable == SOLVE_ZERO ? t->zero : z3_terms_variable(t, variable);
}

/* left - right, or left alone where right is zero: the forms that difference logic recognizes. */
static Z3_ast difference(struct z3_terms *t, struct solve_atom atom)
{
    Z3_ast sides[2] = {side(t, atom.left), side(t, atom.right)};
    return atom.right == SOLVE_ZERO ? sides[0] : z3_terms_hold(t, Z3_mk_sub(t->context, 2, sides));
}

Z3_ast z3_terms_atom(struct z3_terms *t, const struct problem *p, struct solve_atom atom)
{
    if (t->is_broken) {
        return t->zero;
    }
    Z3_ast left = solve_is_sum(atom) ? sum(t, p, atom) : difference(t, atom);
    Z3_ast bound = number(t, atom.bound);
    Z3_ast at_most = z3_terms_hold(t, Z3_mk_le(t->context, left, bound));
    if (atom.kind == SOLVE_DIFFERENCE || atom.kind == SOLVE_SUM) {
        return at_most;
    }
    Z3_ast both[2] = {at_most, z3_terms_hold(t, Z3_mk_ge(t->context, left, bound))};
    return z3_terms_hold(t, Z3_mk_and(t->context, 2, both));
}

Z3_ast z3_terms_or(struct z3_terms *t, const Z3_ast *terms, size_t count)
{
    if (count == 1) {
        return terms[0];
    }
    return z3_terms_hold(t, count == 0 ? Z3_mk_false(t->context)
                                       : Z3_mk_or(t->context, (unsigned)count, terms));
}

Z3_ast z3_terms_clause(struct z3_terms *t, const struct problem *p, struct solve_clause clause)
{
    VEC(Z3_ast) atoms = {0};
    for (uint32_t i = 0; i < clause.count; i++) {
        vec_push(&atoms, z3_terms_atom(t, p, p->literals.at[clause.first + i]));
    }
    Z3_ast whole = z3_terms_or(t, atoms.at, atoms.count);
    vec_release(&atoms);
    return whole;
}
