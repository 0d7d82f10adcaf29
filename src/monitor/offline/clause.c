#include "monitor/offline/clause.h"

#include <string.h>

void clauses_release(struct clauses *c)
{
    vec_release(&c->list);
}

struct expanding {
    const struct state_history *h;
    struct arena *arena;
    size_t literal_count, literals_max;
};

static const struct cell *cell_at(const struct state_history *h, uint32_t cell)
{
    return vec_at(&h->bound->cells.list, cell);
}

static bool push_clause(struct expanding *x, struct clauses *to, const struct clause *left,
                        const struct clause *right)
{
    const size_t count = left->count + right->count;
    x->literal_count += count + 1;
    if (x->literal_count > x->literals_max) {
        return false;
    }
    struct literal *at = arena_array(x->arena, struct literal, count);
    for (size_t i = 0; i < count; i++) {
        at[i] = i < left->count ? left->at[i] : right->at[i - left->count];
    }
    vec_push(&to->list, (struct clause){at, count});
    return true;
}

/* "The two sums differ": one of them is less. */
static bool is_difference(const struct state_history *h, struct literal literal)
{
    return cell_at(h, literal.cell)->op == CELL_EQUAL && literal.is_negated && literal.side == 0 &&
           h->owner[literal.cell] >= OWNER_UNKNOWN;
}

void literals_flatten(const struct state_history *h, struct literal root, enum cell_op op,
                      struct literals *operands)
{
    struct literals stack = {0};
    vec_push(&stack.list, root);
    while (stack.list.count > 0) {
        const struct literal literal = vec_pop(&stack.list);
        const struct cell *cell = cell_at(h, literal.cell);
        const enum cell_op seen_as = !literal.is_negated    ? (enum cell_op)cell->op
                                     : cell->op == CELL_AND ? CELL_OR
                                     : cell->op == CELL_OR  ? CELL_AND
                                                            : (enum cell_op)cell->op;
        if (cell->op == CELL_NOT) {
            vec_push(&stack.list, (struct literal){cell->left, !literal.is_negated, 0});
        } else if (op == CELL_OR && is_difference(h, literal)) {
            vec_push(&stack.list, (struct literal){literal.cell, true, 1});
            vec_push(&stack.list, (struct literal){literal.cell, true, -1});
        } else if (seen_as == op && h->owner[literal.cell] >= OWNER_UNKNOWN) {
            vec_push(&stack.list, (struct literal){cell->right, literal.is_negated, 0});
            vec_push(&stack.list, (struct literal){cell->left, literal.is_negated, 0});
        } else {
            vec_push(&operands->list, literal);
        }
    }
    vec_release(&stack.list);
}

bool literal_is_junction(const struct state_history *h, struct literal literal)
{
    const struct cell *cell = cell_at(h, literal.cell);
    return is_difference(h, literal) || (h->owner[literal.cell] >= OWNER_UNKNOWN &&
                                         (cell->op == CELL_AND || cell->op == CELL_OR));
}

static bool expand(struct expanding *x, struct literal root, struct clauses *to);

/* Every clause of `some` with every clause that is still to be expanded. */
static bool multiply(struct expanding *x, struct clauses *some, const struct clauses *more)
{
    struct clauses product = {0};
    bool is_small = true;
    vec_each (&some->list, left) {
        vec_each (&more->list, right) {
            is_small = is_small && push_clause(x, &product, left, right);
        }
    }
    clauses_release(some);
    *some = product;
    return is_small;
}

static bool expand_and(struct expanding *x, const struct literals *operands, struct clauses *to)
{
    struct clauses all = {0};
    struct literals plain = {0};
    vec_each (&operands->list, literal) {
        if (!literal_is_junction(x->h, *literal)) {
            vec_push(&plain.list, *literal);
        }
    }
    const struct clause first = {plain.list.at, plain.list.count};
    bool is_small = push_clause(x, &all, &first, &(struct clause){0});
    for (size_t i = 0; is_small && i < operands->list.count; i++) {
        if (literal_is_junction(x->h, operands->list.at[i])) {
            struct clauses more = {0};
            is_small = expand(x, operands->list.at[i], &more) && multiply(x, &all, &more);
            clauses_release(&more);
        }
    }
    vec_each (&all.list, clause) {
        vec_push(&to->list, *clause);
    }
    clauses_release(&all);
    vec_release(&plain.list);
    return is_small;
}

/* Appends the clauses of the formula. */
static bool expand(struct expanding *x, struct literal root, struct clauses *to)
{
    struct literals either = {0};
    bool is_small = true;
    literals_flatten(x->h, root, CELL_OR, &either);
    for (size_t i = 0; is_small && i < either.list.count; i++) {
        struct literals all = {0};
        literals_flatten(x->h, either.list.at[i], CELL_AND, &all);
        is_small = expand_and(x, &all, to);
        vec_release(&all.list);
    }
    vec_release(&either.list);
    return is_small;
}

bool clauses_build(struct clauses *c, const struct state_history *h, uint32_t root,
                   size_t literals_max, struct arena *a)
{
    struct expanding x = {.h = h, .arena = a, .literals_max = literals_max};
    return expand(&x, (struct literal){.cell = root}, c);
}

/* ---- linear comparisons ---- */

void linear_release(struct linear *l)
{
    vec_release(&l->terms);
}

/* The bound of a constant in a formula, so that no sum of all its numbers overflows. */
static bool is_small(int64_t number)
{
    const int64_t most = INT64_C(1) << 40;
    return number > -most && number < most;
}

/* The product of two numbers of the formula; 0 when it is too large. */
static int64_t product(struct linear *l, int64_t left, int64_t right)
{
    int64_t both = 0;
    if (__builtin_mul_overflow(left, right, &both) || !is_small(both)) {
        l->is_too_large = true;
        return 0;
    }
    return both;
}

/* Adds weight * cell to the terms, and its constants to the bound on the other side. */
static bool add_terms(struct linear *l, const struct state_history *h, struct term root)
{
    VEC(struct term) stack = {0};
    bool is_told = true;
    vec_push(&stack, root);
    while (is_told && stack.count > 0) {
        const struct term term = vec_pop(&stack);
        const struct cell *cell = cell_at(h, term.cell);
        const int64_t weight = term.weight;
        if (cell->op == CELL_CONSTANT) {
            l->bound -= product(l, weight, cell->number);
        } else if (h->owner[term.cell] < OWNER_UNKNOWN) {
            vec_push(&l->terms, term);
        } else if (h->owner[term.cell] == OWNER_UNKNOWN) {
            is_told = false;
        } else if (cell->op == CELL_SLOT) {
            vec_push(&l->terms, (struct term){term.cell, weight, COLUMN_SENT});
            vec_push(&l->terms, (struct term){term.cell, -weight, COLUMN_RECEIVED});
        } else if (cell->op == CELL_TIMES) {
            vec_push(&stack,
                     (struct term){.cell = cell->left, .weight = product(l, weight, cell->number)});
        } else if (cell->op == CELL_PLUS || cell->op == CELL_MINUS) {
            vec_push(&stack, (struct term){.cell = cell->right,
                                           .weight = cell->op == CELL_PLUS ? weight : -weight});
            vec_push(&stack, (struct term){.cell = cell->left, .weight = weight});
        } else {
            vec_push(&l->terms, term);
            l->is_nonlinear = true;
        }
    }
    vec_release(&stack);
    return is_told;
}

bool linear_build(struct linear *l, const struct state_history *h, struct literal literal)
{
    const struct cell *cell = cell_at(h, literal.cell);
    const bool is_comparison =
        cell->op == CELL_LESS || cell->op == CELL_AT_MOST || cell->op == CELL_EQUAL;
    if (!is_comparison || is_difference(h, literal)) {
        return false;
    }
    /* a < b is a - b <= -1; not a < b is b - a <= 0. */
    const bool is_swapped = literal.side == 0 ? literal.is_negated : literal.side > 0;
    const bool is_strict = literal.side != 0 || (cell->op == CELL_LESS) != literal.is_negated;
    const int64_t sign = is_swapped ? -1 : 1;
    l->is_equal = cell->op == CELL_EQUAL && literal.side == 0;
    l->bound = is_strict && !l->is_equal ? -1 : 0;
    return add_terms(l, h, (struct term){.cell = cell->left, .weight = sign}) &&
           add_terms(l, h, (struct term){.cell = cell->right, .weight = -sign});
}

bool linear_build_number(struct linear *l, const struct state_history *h, uint32_t cell)
{
    return add_terms(l, h, (struct term){.cell = cell, .weight = 1});
}
