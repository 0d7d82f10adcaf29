#include "solve/problem.h"

__extension__ typedef __int128 wide;

void problem_release(struct problem *p)
{
    vec_release(&p->terms);
    vec_release(&p->literals);
    vec_release(&p->clauses);
    vec_release(&p->scopes);
    *p = (struct problem){0};
}

uint32_t problem_variables(struct problem *p, uint32_t count)
{
    const uint32_t first = p->variable_count;
    must(count < SOLVE_ZERO - first);
    p->variable_count = first + count;
    return first;
}

static void must_be_in(const struct problem *p, struct solve_atom atom)
{
    if (solve_is_sum(atom)) {
        must(atom.first_term <= p->terms.count);
        must(atom.term_count <= p->terms.count - atom.first_term);
    } else {
        must(atom.left < p->variable_count || atom.left == SOLVE_ZERO);
        must(atom.right < p->variable_count || atom.right == SOLVE_ZERO);
    }
}

void problem_add_clause(struct problem *p, const struct solve_atom *atoms, size_t count)
{
    must(p->literals.count + count < UINT32_MAX);
    const uint32_t first = (uint32_t)p->literals.count;
    for (size_t i = 0; i < count; i++) {
        must_be_in(p, atoms[i]);
        if (solve_is_sum(atoms[i])) {
            p->sum_count++;
        } else if (solve_bound_size(atoms[i]) > p->bound_size_max) {
            p->bound_size_max = solve_bound_size(atoms[i]);
        }
        vec_push(&p->literals, atoms[i]);
    }
    vec_push(&p->clauses, (struct solve_clause){.first = first, .count = (uint32_t)count});
}

void problem_add(struct problem *p, struct solve_atom atom)
{
    problem_add_clause(p, &atom, 1);
}

void problem_add_either(struct problem *p, struct solve_atom a, struct solve_atom b)
{
    problem_add_clause(p, (const struct solve_atom[]){a, b}, 2);
}

void problem_push(struct problem *p)
{
    p->scope_id_last++;
    vec_push(&p->scopes, (struct problem_scope){
                             .id = p->scope_id_last,
                             .variable_count = p->variable_count,
                             .term_count = p->terms.count,
                             .literal_count = p->literals.count,
                             .clause_count = p->clauses.count,
                             .sum_count = p->sum_count,
                             .bound_size_max = p->bound_size_max,
                         });
}

void problem_pop(struct problem *p)
{
    must(p->scopes.count > 0);
    const struct problem_scope scope = vec_pop(&p->scopes);
    p->variable_count = scope.variable_count;
    p->terms.count = scope.term_count;
    p->literals.count = scope.literal_count;
    p->clauses.count = scope.clause_count;
    p->sum_count = scope.sum_count;
    p->bound_size_max = scope.bound_size_max;
}

/* Copies the terms to the end of p->terms; joins those of one variable and drops those of weight 0.
 * Returns their number. */
static uint32_t gather_terms(struct problem *p, const struct solve_term *terms, size_t count)
{
    const size_t first = p->terms.count;
    for (size_t i = 0; i < count; i++) {
        must(terms[i].variable < p->variable_count);
        must(terms[i].weight > INT64_MIN);
        size_t at = first;
        while (at < p->terms.count && p->terms.at[at].variable != terms[i].variable) {
            at++;
        }
        if (at == p->terms.count) {
            vec_push(&p->terms, (struct solve_term){.variable = terms[i].variable});
        }
        int64_t *weight = &p->terms.at[at].weight;
        must(!__builtin_add_overflow(*weight, terms[i].weight, weight));
    }
    size_t kept = first;
    for (size_t i = first; i < p->terms.count; i++) {
        if (p->terms.at[i].weight != 0) {
            p->terms.at[kept++] = p->terms.at[i];
        }
    }
    p->terms.count = kept;
    must(kept < UINT32_MAX);
    return (uint32_t)(kept - first);
}

/* The sum of the last `count` terms against the bound, or the difference it amounts to: x, -x,
 * x - y, or nothing at all. */
static struct solve_atom sum_of(struct problem *p, uint32_t count, int64_t bound, bool is_equal)
{
    const size_t first = p->terms.count - count;
    struct solve_atom atom = {.kind = is_equal ? SOLVE_EQUAL : SOLVE_DIFFERENCE,
                              .left = SOLVE_ZERO,
                              .right = SOLVE_ZERO,
                              .bound = bound};
    uint32_t plus_count = 0, minus_count = 0;
    for (size_t i = first; i < p->terms.count; i++) {
        if (p->terms.at[i].weight == 1) {
            atom.left = p->terms.at[i].variable;
            plus_count++;
        } else if (p->terms.at[i].weight == -1) {
            atom.right = p->terms.at[i].variable;
            minus_count++;
        }
    }
    if (plus_count <= 1 && minus_count <= 1 && plus_count + minus_count == count) {
        p->terms.count = first;
        return atom;
    }
    return (struct solve_atom){.kind = is_equal ? SOLVE_SUM_EQUAL : SOLVE_SUM,
                               .first_term = (uint32_t)first,
                               .term_count = count,
                               .bound = bound};
}

struct solve_atom problem_sum_at_most(struct problem *p, const struct solve_term *terms,
                                      size_t count, int64_t bound)
{
    return sum_of(p, gather_terms(p, terms, count), bound, false);
}

struct solve_atom problem_sum_equal(struct problem *p, const struct solve_term *terms, size_t count,
                                    int64_t bound)
{
    return sum_of(p, gather_terms(p, terms, count), bound, true);
}

static wide value_of(uint32_t variable, const int64_t *model)
{
    return variable == SOLVE_ZERO ? 0 : model[variable];
}

bool problem_atom_holds(const struct problem *p, struct solve_atom atom, const int64_t *model)
{
    must_be_in(p, atom);
    wide sum = 0;
    if (solve_is_sum(atom)) {
        for (uint32_t i = 0; i < atom.term_count; i++) {
            const struct solve_term term = p->terms.at[atom.first_term + i];
            sum += (wide)term.weight * model[term.variable];
        }
    } else {
        sum = value_of(atom.left, model) - value_of(atom.right, model);
    }
    const bool is_equality = atom.kind == SOLVE_EQUAL || atom.kind == SOLVE_SUM_EQUAL;
    return is_equality ? sum == atom.bound : sum <= atom.bound;
}

ptrdiff_t problem_check(const struct problem *p, const int64_t *model)
{
    for (size_t i = 0; i < p->clauses.count; i++) {
        const struct solve_clause clause = p->clauses.at[i];
        bool holds = false;
        for (uint32_t j = 0; j < clause.count && !holds; j++) {
            holds = problem_atom_holds(p, p->literals.at[clause.first + j], model);
        }
        if (!holds) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}
