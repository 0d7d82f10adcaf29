#include "monitor/offline/formula_smt.h"

/* The view of a number that may have several values: only where it has one, or at its greatest or
 * least. "At most" holds certainly where it holds at the greatest. */
enum view { VIEW_EXACT, VIEW_GREATEST, VIEW_LEAST };

/* A number of the formula: the variable that has its value, and the one that is at least 1 only
 * where the number has a value (ALWAYS_KNOWN: everywhere). */
struct number {
    uint32_t variable;
    uint32_t known;
    uint64_t size; /* the value is never larger, without its sign */
};

#define ALWAYS_KNOWN UINT32_MAX

/* Sums of numbers stay below this, so that libz3's models fit 64 bits. */
#define SIZE_MAX_OF_SUM (UINT64_C(1) << 62)

/* Stands for an unbounded value among the operands of min and max. It is larger than any sum of
 * others, which must then be less than ENDLESS_REST. */
#define ENDLESS (INT64_C(1) << 50)
#define ENDLESS_REST (UINT64_C(1) << 40)

static uint64_t size_of(int64_t number)
{
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static const struct cell *cell_at(const struct formula_smt *f, uint32_t cell)
{
    return vec_at(&f->h->bound->cells.list, cell);
}

/* Whether the cell is a number or truth of one process. */
static bool is_column(const struct formula_smt *f, uint32_t cell)
{
    return f->h->owner[cell] < OWNER_UNKNOWN;
}

static bool is_truth(const struct cell *cell)
{
    return cell->op >= CELL_AND;
}

static enum view opposite(enum view view)
{
    switch (view) {
    case VIEW_EXACT: return VIEW_EXACT;
    case VIEW_GREATEST: return VIEW_LEAST;
    case VIEW_LEAST: return VIEW_GREATEST;
    }
    bug("view");
}

static enum view view_of_weight(enum view view, int64_t weight)
{
    return weight < 0 ? opposite(view) : view;
}

/* ---- clauses ---- */

/* The condition that disables a clause: its guard is 0. */
struct excuse {
    bool is_there;
    struct solve_atom atom;
};

static struct excuse excuse_of(uint32_t guard)
{
    return (struct excuse){.is_there = true, .atom = solve_at_most(guard, 0)};
}

static void add_excused(struct formula_smt *f, const struct excuse *excuse,
                        const struct solve_atom *atoms, size_t count)
{
    VEC(struct solve_atom) all = {0};
    if (excuse->is_there) {
        vec_push(&all, excuse->atom);
    }
    for (size_t i = 0; i < count; i++) {
        vec_push(&all, atoms[i]);
    }
    problem_add_clause(f->cut.problem, all.at, all.count);
    vec_release(&all);
}

/* ---- the states of one process ---- */

/* A run of states of a process, from i on, in which a number has the same view. */
struct run {
    uint32_t first, end;
    bool is_missing; /* it has no value */
    int64_t value;
};

static bool value_seen(struct span span, enum view view, int64_t *value)
{
    *value = view == VIEW_LEAST ? span.low : span.high;
    return span_is_known(span) || (view == VIEW_LEAST && span.low != INT64_MIN) ||
           (view == VIEW_GREATEST && span.high != INT64_MAX);
}

static struct run run_from(const struct formula_smt *f, const struct column *c, uint32_t first,
                           enum view view)
{
    struct run run = {.first = first, .end = first + 1};
    run.is_missing = !value_seen(c->at[first], view, &run.value);
    while (run.end <= f->cut.high[c->process]) {
        int64_t value = 0;
        const bool is_missing = !value_seen(c->at[run.end], view, &value);
        if (is_missing != run.is_missing || (!is_missing && value != run.value)) {
            break;
        }
        run.end++;
    }
    return run;
}

/* Records whether a state of the range is open: then an uncertain formula may still hold. */
static void note_open(struct formula_smt *f, const struct column *c)
{
    for (uint32_t i = f->cut.low[c->process]; !f->is_open && i <= f->cut.high[c->process]; i++) {
        f->is_open = c->is_open[i];
    }
}

/* The process is in none of the states of the run. */
static void outside_of(const struct formula_smt *f, uint32_t process, const struct run *run,
                       struct solve_atom atoms[2])
{
    atoms[0] = cut_smt_fewer(&f->cut, process, run->first);
    atoms[1] = cut_smt_at_least(&f->cut, process, run->end);
}

static void imply_local(struct formula_smt *f, const struct excuse *excuse, struct literal literal)
{
    const struct column *c = state_history_part(f->h, literal.cell, COLUMN_VALUE);
    note_open(f, c);
    for (uint32_t i = f->cut.low[c->process]; i <= f->cut.high[c->process];) {
        const struct run run = run_from(f, c, i, literal.is_negated ? VIEW_GREATEST : VIEW_LEAST);
        if ((run.value != 0) == literal.is_negated) {
            struct solve_atom atoms[2];
            outside_of(f, c->process, &run, atoms);
            add_excused(f, excuse, atoms, 2);
        }
        i = run.end;
    }
}

/* ---- numbers ---- */

static uint32_t fresh(struct formula_smt *f)
{
    return problem_variables(f->cut.problem, 1);
}

/* "It is known" implies one of the atoms. */
static void add_if_known(struct formula_smt *f, uint32_t known, const struct solve_atom *atoms,
                         size_t count)
{
    const struct excuse excuse = excuse_of(known);
    add_excused(f, &excuse, atoms, count);
}

/* A variable that is at least 1 only where both numbers are known. */
static uint32_t both_known(struct formula_smt *f, uint32_t left, uint32_t right)
{
    if (left == ALWAYS_KNOWN || right == ALWAYS_KNOWN || left == right) {
        return left == ALWAYS_KNOWN ? right : left;
    }
    const uint32_t both = fresh(f);
    const struct solve_atom parts[] = {solve_at_least(left, 1), solve_at_least(right, 1)};
    add_if_known(f, both, &parts[0], 1);
    add_if_known(f, both, &parts[1], 1);
    return both;
}

/* The variables of a column: its value in the current state of its process (1 where it has none)
 * and, as the next variable, whether it has one. */
static struct number number_of_column(struct formula_smt *f, const struct term *term,
                                      enum view view)
{
    const struct column *c = state_history_part(f->h, term->cell, term->part);
    bool is_new = false;
    bool has_missing = false;
    const uint32_t key = (uint32_t)term->part * 3 + (uint32_t)view;
    const uint32_t variable =
        *map_slot(&f->numbers, map_pair(key, term->cell), f->cut.problem->variable_count, &is_new);
    if (is_new) {
        const uint32_t first = problem_variables(f->cut.problem, 2);
        must(first == variable);
    }
    uint64_t size = 1;
    for (uint32_t i = f->cut.low[c->process]; i <= f->cut.high[c->process];) {
        const struct run run = run_from(f, c, i, view);
        const int64_t value = run.is_missing ? 1 : run.value;
        struct solve_atom atoms[3] = {{0}, {0}, solve_value(variable, value)};
        outside_of(f, c->process, &run, atoms);
        if (is_new) {
            problem_add_clause(f->cut.problem, atoms, 3);
        }
        if (is_new && run.is_missing) {
            add_if_known(f, variable + 1, atoms, 2);
        }
        has_missing = has_missing || run.is_missing;
        size = size_of(value) > size ? size_of(value) : size;
        i = run.end;
    }
    note_open(f, c);
    return (struct number){variable, has_missing ? variable + 1 : ALWAYS_KNOWN, size};
}

static struct number number_of_cell(struct formula_smt *f, uint32_t cell, enum view view);
static uint32_t guard_of(struct formula_smt *f, struct literal literal);

/* 1 where the formula holds, 0 where it does not. At its greatest it is 1 unless the formula
 * certainly does not hold. */
static struct number number_of_truth(struct formula_smt *f, uint32_t cell, enum view view)
{
    const struct number n = {fresh(f), view == VIEW_EXACT ? fresh(f) : ALWAYS_KNOWN, 1};
    problem_add(f->cut.problem, solve_at_least(n.variable, 0));
    problem_add(f->cut.problem, solve_at_most(n.variable, 1));
    const struct excuse excuse =
        view == VIEW_EXACT ? excuse_of(n.known) : (struct excuse){.is_there = false};
    if (view != VIEW_LEAST) {
        const uint32_t fails = guard_of(f, (struct literal){.cell = cell, .is_negated = true});
        const struct solve_atom atoms[] = {solve_at_least(n.variable, 1), solve_at_least(fails, 1)};
        add_excused(f, &excuse, atoms, 2);
    }
    if (view != VIEW_GREATEST) {
        const uint32_t holds = guard_of(f, (struct literal){.cell = cell});
        const struct solve_atom atoms[] = {solve_at_most(n.variable, 0), solve_at_least(holds, 1)};
        add_excused(f, &excuse, atoms, 2);
    }
    return n;
}

/* Whether the column is only partly known in some state of the range: 0 or 1, say. */
static bool is_partly_known(struct formula_smt *f, uint32_t cell)
{
    const struct column *c = state_history_part(f->h, cell, COLUMN_VALUE);
    bool is = false;
    for (uint32_t i = f->cut.low[c->process]; !is && i <= f->cut.high[c->process]; i++) {
        const struct span span = c->at[i];
        is = !span_is_known(span) && (span.low != INT64_MIN || span.high != INT64_MAX);
    }
    return is;
}

/* An operand of min or max: an unbounded one exceeds all others. */
static struct number number_of_operand(struct formula_smt *f, uint32_t cell, enum view view)
{
    const struct number n = number_of_cell(f, cell, view);
    if (n.known == ALWAYS_KNOWN) {
        return n;
    }
    if (view == VIEW_EXACT) {
        /* min(0 or 1, 0) has a value although an operand has none. */
        f->is_open = f->is_open || (is_column(f, cell) && is_partly_known(f, cell));
        return n;
    }
    const struct number operand = {fresh(f), ALWAYS_KNOWN, (uint64_t)ENDLESS};
    const struct solve_atom same = solve_same(operand.variable, n.variable);
    f->is_too_large = f->is_too_large || n.size >= ENDLESS_REST;
    add_if_known(f, n.known, &same, 1);
    problem_add_either(f->cut.problem, solve_at_least(n.known, 1),
                       solve_value(operand.variable, view == VIEW_GREATEST ? ENDLESS : -ENDLESS));
    return operand;
}

static struct number number_of_extreme(struct formula_smt *f, uint32_t cell, enum view view)
{
    const bool is_least = cell_at(f, cell)->op == CELL_MIN;
    const struct number a = number_of_operand(f, cell_at(f, cell)->left, view);
    const struct number b = number_of_operand(f, cell_at(f, cell)->right, view);
    const struct number n = {fresh(f), both_known(f, a.known, b.known),
                             a.size > b.size ? a.size : b.size};
    const uint32_t operands[] = {a.variable, b.variable};
    for (int i = 0; i < 2; i++) {
        problem_add(f->cut.problem, is_least ? solve_not_after(n.variable, operands[i])
                                             : solve_not_after(operands[i], n.variable));
    }
    problem_add_either(f->cut.problem, solve_same(n.variable, a.variable),
                       solve_same(n.variable, b.variable));
    return n;
}

/* The product of two sizes; 0 and a flag when it overflows. */
static uint64_t sized(struct formula_smt *f, uint64_t left, uint64_t right)
{
    uint64_t both = 0;
    if (__builtin_mul_overflow(left, right, &both) || both >= SIZE_MAX_OF_SUM) {
        f->is_too_large = true;
        return 0;
    }
    return both;
}

/* The column times the factor: in a run of states the column is a constant. 0 where it has no
 * value. */
static struct number multiplied(struct formula_smt *f, const struct term *term,
                                const struct number *factor)
{
    const struct column *c = state_history_part(f->h, term->cell, term->part);
    struct number n = {.variable = fresh(f), .known = ALWAYS_KNOWN};
    for (uint32_t i = f->cut.low[c->process]; !f->is_too_large && i <= f->cut.high[c->process];) {
        const struct run run = run_from(f, c, i, VIEW_EXACT);
        const int64_t value = run.is_missing ? 0 : run.value;
        const uint64_t size = sized(f, size_of(value), factor->size);
        const struct solve_term terms[] = {{n.variable, 1}, {factor->variable, -value}};
        struct solve_atom atoms[3];
        outside_of(f, c->process, &run, atoms);
        atoms[2] = value == 0 ? solve_value(n.variable, 0)
                              : problem_sum_equal(f->cut.problem, terms, 2, 0);
        problem_add_clause(f->cut.problem, atoms, 3);
        n.size = size > n.size ? size : n.size;
        i = run.end;
    }
    return n;
}

/* A variable that is at least 1 only where the product is known: both factors are, or one of them
 * is and is 0. */
static uint32_t product_known(struct formula_smt *f, const struct number *left,
                              const struct number *right)
{
    if (left->known == ALWAYS_KNOWN && right->known == ALWAYS_KNOWN) {
        return ALWAYS_KNOWN;
    }
    const uint32_t known = fresh(f);
    const bool is_left = left->known != ALWAYS_KNOWN;
    const bool is_right = right->known != ALWAYS_KNOWN;
    const struct solve_atom left_known =
        is_left ? solve_at_least(left->known, 1) : solve_at_least(known, 0);
    const struct solve_atom right_known =
        is_right ? solve_at_least(right->known, 1) : solve_at_least(known, 0);
    const struct solve_atom either[] = {left_known, right_known};
    const struct solve_atom left_or_zero[] = {left_known, solve_value(right->variable, 0)};
    const struct solve_atom right_or_zero[] = {right_known, solve_value(left->variable, 0)};
    problem_add(f->cut.problem, solve_at_least(known, 0));
    add_if_known(f, known, either, 2);
    add_if_known(f, known, left_or_zero, 2);
    add_if_known(f, known, right_or_zero, 2);
    return known;
}

/* left * right, where left is a sum of columns. */
static struct number product_of(struct formula_smt *f, const struct linear *l, uint32_t left,
                                uint32_t right)
{
    const struct number first = number_of_cell(f, left, VIEW_EXACT);
    const struct number factor = number_of_cell(f, right, VIEW_EXACT);
    VEC(struct solve_term) terms = {0};
    uint64_t size = sized(f, size_of(l->bound), factor.size);
    vec_each (&l->terms, term) {
        const struct number n = multiplied(f, term, &factor);
        size += sized(f, n.size, size_of(term->weight));
        vec_push(&terms, (struct solve_term){n.variable, term->weight});
        f->is_too_large = f->is_too_large || size >= SIZE_MAX_OF_SUM;
    }
    const struct number n = {fresh(f), product_known(f, &first, &factor), size};
    vec_push(&terms, (struct solve_term){factor.variable, -l->bound});
    vec_push(&terms, (struct solve_term){n.variable, -1});
    problem_add(f->cut.problem, problem_sum_equal(f->cut.problem, terms.at, terms.count, 0));
    vec_release(&terms);
    return n;
}

/* A number that is never known. */
static struct number beyond(struct formula_smt *f)
{
    const struct number n = {fresh(f), fresh(f), 0};
    f->is_beyond = true;
    problem_add(f->cut.problem, solve_value(n.variable, 0));
    problem_add(f->cut.problem, solve_at_most(n.known, 0));
    return n;
}

static struct number number_of_product(struct formula_smt *f, uint32_t cell)
{
    const uint32_t operands[] = {cell_at(f, cell)->left, cell_at(f, cell)->right};
    for (int i = 0; i < 2; i++) {
        struct linear l = {0};
        const bool is_sum = linear_build_number(&l, f->h, operands[i]) && !l.is_nonlinear;
        f->is_too_large = f->is_too_large || l.is_too_large;
        struct number n = {0};
        if (is_sum) {
            n = product_of(f, &l, operands[i], operands[1 - i]);
        }
        linear_release(&l);
        if (is_sum) {
            return n;
        }
    }
    return beyond(f);
}

/* The weighted numbers of a sum. */
struct weighted {
    VEC(struct solve_term) terms;
    uint32_t known; /* where all of them are */
    uint64_t size;
};

static struct weighted weigh(struct formula_smt *f, const struct linear *l, enum view view)
{
    struct weighted w = {.size = size_of(l->bound), .known = ALWAYS_KNOWN};
    uint64_t rest = w.size;
    bool is_endless = false;
    vec_each (&l->terms, term) {
        const enum view seen = view_of_weight(view, term->weight);
        const bool is_plain = term->part != COLUMN_VALUE || is_column(f, term->cell);
        const struct number n =
            is_plain ? number_of_column(f, term, seen) : number_of_cell(f, term->cell, seen);
        const uint64_t size = sized(f, n.size, size_of(term->weight));
        const bool is_one = !is_plain && n.size >= (uint64_t)ENDLESS;
        is_endless = is_endless || is_one;
        rest += is_one ? 0 : size;
        w.size += size;
        w.known = both_known(f, w.known, n.known);
        f->is_too_large = f->is_too_large || w.size >= SIZE_MAX_OF_SUM;
        vec_push(&w.terms, (struct solve_term){n.variable, term->weight});
    }
    f->is_too_large = f->is_too_large || l->is_too_large || (is_endless && rest >= ENDLESS_REST);
    return w;
}

static struct number number_of_sum(struct formula_smt *f, uint32_t cell, enum view view)
{
    struct linear l = {0};
    if (!linear_build_number(&l, f->h, cell)) {
        linear_release(&l);
        return beyond(f);
    }
    struct weighted w = weigh(f, &l, view);
    const struct number n = {fresh(f), w.known, w.size};
    vec_push(&w.terms, (struct solve_term){n.variable, -1});
    problem_add(f->cut.problem,
                problem_sum_equal(f->cut.problem, w.terms.at, w.terms.count, l.bound));
    vec_release(&w.terms);
    linear_release(&l);
    return n;
}

static struct number number_of_cell(struct formula_smt *f, uint32_t cell, enum view view)
{
    const struct cell *c = cell_at(f, cell);
    if (c->op == CELL_CONSTANT) {
        const struct number n = {fresh(f), ALWAYS_KNOWN, size_of(c->number)};
        problem_add(f->cut.problem, solve_value(n.variable, c->number));
        return n;
    }
    if (is_column(f, cell)) {
        return number_of_column(f, &(struct term){.cell = cell}, view);
    }
    if (is_truth(c)) {
        return number_of_truth(f, cell, view);
    }
    if (c->op == CELL_MIN || c->op == CELL_MAX) {
        return number_of_extreme(f, cell, view);
    }
    return c->op == CELL_PRODUCT ? number_of_product(f, cell) : number_of_sum(f, cell, view);
}

/* ---- formulas ---- */

static void imply_comparison(struct formula_smt *f, const struct excuse *excuse,
                             struct literal literal)
{
    struct linear l = {0};
    if (!linear_build(&l, f->h, literal)) {
        linear_release(&l);
        f->is_beyond = true;
        add_excused(f, excuse, NULL, 0);
        return;
    }
    struct weighted w = weigh(f, &l, l.is_equal ? VIEW_EXACT : VIEW_GREATEST);
    struct problem *p = f->cut.problem;
    const struct solve_atom atom = l.is_equal
                                       ? problem_sum_equal(p, w.terms.at, w.terms.count, l.bound)
                                       : problem_sum_at_most(p, w.terms.at, w.terms.count, l.bound);
    add_excused(f, excuse, &atom, 1);
    if (w.known != ALWAYS_KNOWN) {
        const struct solve_atom known = solve_at_least(w.known, 1);
        add_excused(f, excuse, &known, 1);
    }
    vec_release(&w.terms);
    linear_release(&l);
}

static void imply_plain(struct formula_smt *f, const struct excuse *excuse, struct literal literal)
{
    const uint32_t owner = f->h->owner[literal.cell];
    if (owner == OWNER_NONE) {
        if ((cell_at(f, literal.cell)->number != 0) == literal.is_negated) {
            add_excused(f, excuse, NULL, 0);
        }
    } else if (owner < OWNER_UNKNOWN) {
        imply_local(f, excuse, literal);
    } else {
        imply_comparison(f, excuse, literal);
    }
}

/* One of the alternatives holds. */
static void imply_either(struct formula_smt *f, const struct excuse *excuse, struct literal literal)
{
    struct literals either = {0};
    VEC(struct solve_atom) atoms = {0};
    literals_flatten(f->h, literal, CELL_OR, &either);
    vec_each (&either.list, alternative) {
        vec_push(&atoms, solve_at_least(guard_of(f, *alternative), 1));
    }
    add_excused(f, excuse, atoms.at, atoms.count);
    vec_release(&atoms);
    vec_release(&either.list);
}

/* The formula holds, or the excuse applies. */
static void imply(struct formula_smt *f, const struct excuse *excuse, struct literal literal)
{
    struct literals all = {0};
    literals_flatten(f->h, literal, CELL_AND, &all);
    vec_each (&all.list, operand) {
        if (literal_is_junction(f->h, *operand)) {
            imply_either(f, excuse, *operand);
        } else {
            imply_plain(f, excuse, *operand);
        }
    }
    vec_release(&all.list);
}

static uint32_t guard_of(struct formula_smt *f, struct literal literal)
{
    bool is_new = false;
    const uint32_t side = literal.is_negated ? 1 + (uint32_t)(literal.side + 1) : 0;
    const uint32_t guard = *map_slot(&f->guards, map_pair(side, literal.cell),
                                     f->cut.problem->variable_count, &is_new);
    if (is_new) {
        must(problem_variables(f->cut.problem, 1) == guard);
        const struct excuse excuse = excuse_of(guard);
        imply(f, &excuse, literal);
    }
    return guard;
}

void formula_smt_build(struct formula_smt *f, uint32_t root, const struct cut_smt_range *range,
                       bool is_packed)
{
    cut_smt_build(&f->cut, range, is_packed, &f->h->scratch);
    imply(f, &(struct excuse){0}, (struct literal){.cell = root});
}

void formula_smt_release(struct formula_smt *f)
{
    map_release(&f->guards);
    map_release(&f->numbers);
}
