#include "monitor/offline/formula_cascade.h"

#include "base/limit.h"
#include "base/sort.h"
#include "monitor/cut_witness.h"
#include "monitor/offline/formula_smt.h"
#include "monitor/offline/time_partition.h"
#include "solve/smtlib.h"

#define BUDGET_ENDED "libz3's budget ended"
#define TOO_LARGE "its numbers are too large"
#define BEYOND                                                                                 \
    "it reads what has no value in a cut: now, steps, or a product of numbers that no single " \
    "process knows"

/* ---- the formula above the local predicates ---- */

/* The cells of a formula that several processes decide, and the numbers and truths of single
 * processes that these are computed from, in ascending order. */
struct upper {
    struct state_history *h;
    uint32_t root;
    VEC(uint32_t) cells;
    struct span *values; /* per cell of the specification */
};

static bool is_leaf(const struct state_history *h, uint32_t cell)
{
    const struct cell *c = vec_at(&h->bound->cells.list, cell);
    return h->owner[cell] < OWNER_UNKNOWN || !cell_has_left(c);
}

static void upper_init(struct upper *u, struct state_history *h, uint32_t root)
{
    const struct cells *cells = &h->bound->cells;
    const struct bits marked = bits_take(&h->scratch, root + 1);
    *u = (struct upper){
        .h = h, .root = root, .values = arena_array(&h->scratch, struct span, root + 1)};
    bits_add(marked, root);
    for (uint32_t i = root + 1; i-- > 0;) {
        const struct cell *cell = vec_at(&cells->list, i);
        if (bits_has(marked, i) && !is_leaf(h, i)) {
            bits_add(marked, cell->left);
            bits_add(marked, cell_has_right(cell) ? cell->right : cell->left);
        }
    }
    for (uint32_t i = 0; i <= root; i++) {
        if (bits_has(marked, i)) {
            vec_push(&u->cells, i);
        }
    }
}

static void upper_release(struct upper *u)
{
    vec_release(&u->cells);
}

/* The hull of a column over these states of its process, the first and the last included. */
static struct span hull(const struct column *c, uint32_t first, uint32_t last)
{
    struct span all = c->at[first];
    for (uint32_t i = first + 1; i <= last; i++) {
        all.low = c->at[i].low < all.low ? c->at[i].low : all.low;
        all.high = c->at[i].high > all.high ? c->at[i].high : all.high;
    }
    return all;
}

/* The value of a leaf, if each process is in one of its states from low to high. */
static struct span leaf_value(struct state_history *h, uint32_t cell, const uint32_t *low,
                              const uint32_t *high)
{
    const struct cell *c = vec_at(&h->bound->cells.list, cell);
    const uint32_t owner = h->owner[cell];
    if (owner < OWNER_UNKNOWN) {
        return hull(state_history_part(h, cell, COLUMN_VALUE), low[owner], high[owner]);
    }
    if (c->op == CELL_SLOT && owner == OWNER_SEVERAL) {
        const struct column *sent = state_history_part(h, cell, COLUMN_SENT);
        const struct span out = hull(sent, low[sent->process], high[sent->process]);
        const struct column *received = state_history_part(h, cell, COLUMN_RECEIVED);
        const struct span in = hull(received, low[received->process], high[received->process]);
        return cell_compute(&(struct cell){.op = CELL_MINUS}, out, in);
    }
    return c->op == CELL_CONSTANT ? (struct span){c->number, c->number} : SPAN_ANY;
}

/* The value of the formula, if each process is in one of its states from low to high: a superset,
 * since each leaf varies independently. */
static struct span upper_value(struct upper *u, const uint32_t *low, const uint32_t *high)
{
    vec_each (&u->cells, index) {
        const struct cell *cell = vec_at(&u->h->bound->cells.list, *index);
        u->values[*index] =
            is_leaf(u->h, *index)
                ? leaf_value(u->h, *index, low, high)
                : cell_compute(cell, u->values[cell->left],
                               u->values[cell_has_right(cell) ? cell->right : cell->left]);
    }
    return u->values[u->root];
}

/* ---- cuts in the order of the clocks ---- */

/* The largest number of cells that this search evaluates. */
enum { ORDER_WORK_MAX = 1 << 25 };

static int compare_times(const void *left, const void *right, const void *context)
{
    const int64_t *time = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return time[a] != time[b] ? (time[a] > time[b]) - (time[a] < time[b]) : (a > b) - (a < b);
}

/* Takes the report, the reports that it needs, and the earlier ones of its process. */
static void take(const struct cuts *c, uint32_t report, uint32_t *taken)
{
    VEC(uint32_t) stack = {0};
    vec_push(&stack, report);
    while (stack.count > 0) {
        const uint32_t r = vec_pop(&stack);
        const uint32_t p = c->process[r];
        while (taken[p] <= r - c->first[p]) {
            const uint32_t next = c->first[p] + taken[p]++;
            for (uint32_t n = c->need_first[next]; n < c->need_first[next + 1]; n++) {
                vec_push(&stack, c->needs[n]);
            }
        }
    }
    vec_release(&stack);
}

/* Looks for a cut that satisfies the formula among those in the order of the clocks. */
static bool find_in_order(struct upper *u, uint32_t *taken)
{
    const struct cuts *c = &u->h->cuts;
    const uint32_t count = cuts_report_count(c);
    if ((uint64_t)count * u->cells.count > ORDER_WORK_MAX) {
        return false;
    }
    uint32_t *order = arena_array(&u->h->scratch, uint32_t, count);
    for (uint32_t r = 0; r < count; r++) {
        order[r] = r;
    }
    sort_stable(order, count, sizeof *order, compare_times, c->time);
    for (uint32_t p = 0; p < c->process_count; p++) {
        taken[p] = 0;
    }
    bool is_found = upper_value(u, taken, taken).low != 0;
    for (uint32_t i = 0; !is_found && i < count; i++) {
        take(c, order[i], taken);
        is_found = upper_value(u, taken, taken).low != 0 && witness_holds(u->h, u->root, taken);
    }
    return is_found;
}

/* ---- libz3 ---- */

static struct decision undecided(const char *reason)
{
    return (struct decision){.method = METHOD_SOLVER, .reason = reason};
}

static struct decision ask(const struct formula_smt *f, const struct formula_question *q,
                           uint32_t *taken)
{
    struct decision d = undecided("libz3 could not be used");
    struct err e;
    struct solver *solver =
        solver_new(&(struct solver_options){.way = SOLVE_LIBZ3}, f->cut.problem, &e);
    if (solver == NULL) {
        return d;
    }
    struct solve_answer answer;
    solver_decide(solver, &(struct solve_question){.budget = q->budget}, &answer);
    switch (answer.verdict) {
    case SOLVE_UNKNOWN:
        d.reason = answer.cause == SOLVE_CAUSE_BUDGET ? BUDGET_ENDED : "libz3 gave up";
        break;
    case SOLVE_UNSAT: d.verdict = CUT_NO; break;
    case SOLVE_SAT:
        d.verdict = CUT_YES;
        for (uint32_t process = 0; process < f->cut.cuts->process_count; process++) {
            taken[process] = cut_smt_taken(&f->cut, answer.model, process);
        }
        break;
    }
    solver_free(solver);
    return d;
}

/* Decides the cuts of the range. */
static struct decision decide_range(struct state_history *h, const struct formula_question *q,
                                    const struct cut_smt_range *range, uint32_t *taken)
{
    struct problem p = {0};
    struct formula_smt f = {.cut = {.problem = &p, .cuts = &h->cuts}, .h = h};
    const struct arena_mark mark = arena_mark(&h->scratch);
    formula_smt_build(&f, q->root, range, q->is_packed);
    struct decision d = f.is_too_large ? undecided(TOO_LARGE) : ask(&f, q, taken);
    if (d.verdict == CUT_NO && (f.is_open || f.is_beyond)) {
        d = undecided(f.is_beyond ? BEYOND : MONITOR_UNREPORTED);
    }
    formula_smt_release(&f);
    problem_release(&p);
    arena_reset(&h->scratch, mark);
    return d;
}

/* All cuts. */
static struct cut_smt_range whole_range(struct state_history *h)
{
    const struct cuts *c = &h->cuts;
    uint32_t *low = arena_array(&h->scratch, uint32_t, c->process_count);
    uint32_t *high = arena_array(&h->scratch, uint32_t, c->process_count);
    for (uint32_t process = 0; process < c->process_count; process++) {
        high[process] = c->first[process + 1] - c->first[process];
    }
    return (struct cut_smt_range){low, high};
}

struct decision formula_decide(struct state_history *h, const struct formula_question *q,
                               uint32_t *taken)
{
    const struct arena_mark mark = arena_mark(&h->scratch);
    const struct cut_smt_range range = whole_range(h);
    const struct decision d = decide_range(h, q, &range, taken);
    arena_reset(&h->scratch, mark);
    return d;
}

/* The rest of the time after `spent_ns`; false when none is left. */
static bool has_time_left(struct solve_budget *budget, uint64_t spent_ns)
{
    const uint64_t whole = budget->time_ns_max;
    budget->time_ns_max = whole == 0 ? 0 : whole > spent_ns ? whole - spent_ns : 1;
    return whole == 0 || whole > spent_ns;
}

static struct decision decide_parts(struct upper *u, const struct formula_question *q,
                                    struct time_partition *part, uint32_t *taken)
{
    struct decision all = {.verdict = CUT_NO, .method = METHOD_SOLVER};
    const uint64_t begin = q->budget.time_ns_max > 0 ? limit_now_ns() : 0;
    while (all.verdict != CUT_YES && time_partition_next(part)) {
        struct formula_question rest = *q;
        if (upper_value(u, part->low, part->high).high == 0) {
            continue;
        }
        if (begin > 0 && !has_time_left(&rest.budget, limit_now_ns() - begin)) {
            return undecided(BUDGET_ENDED);
        }
        const struct cut_smt_range range = {part->low, part->high};
        const struct decision d = decide_range(u->h, &rest, &range, taken);
        all = d.verdict == CUT_NO ? all : d;
    }
    return all;
}

struct decision formula_decide_parts(struct state_history *h, const struct formula_question *q,
                                     uint32_t report_count, uint32_t *taken)
{
    struct upper u;
    struct time_partition part;
    const struct arena_mark mark = arena_mark(&h->scratch);
    upper_init(&u, h, q->root);
    struct decision d = {.verdict = CUT_YES, .method = METHOD_ORDER};
    if (!find_in_order(&u, taken)) {
        time_partition_init(&part, &h->cuts, report_count, &h->scratch);
        d = decide_parts(&u, q, &part, taken);
        time_partition_release(&part);
    }
    upper_release(&u);
    arena_reset(&h->scratch, mark);
    return d;
}

int formula_write(struct state_history *h, const struct formula_question *q, const char *path,
                  struct err *e)
{
    struct problem p = {0};
    struct formula_smt f = {.cut = {.problem = &p, .cuts = &h->cuts}, .h = h};
    struct out out;
    int result = 0;
    const struct arena_mark mark = arena_mark(&h->scratch);
    const struct cut_smt_range range = whole_range(h);
    formula_smt_build(&f, q->root, &range, q->is_packed);
    if (!f.is_too_large && !f.is_beyond) {
        result = out_open(&out, path, e);
        if (result == 0) {
            smtlib_print(&out, &p, &(struct solve_question){0}, NULL);
            result = out_close(&out, e);
        }
    }
    formula_smt_release(&f);
    problem_release(&p);
    arena_reset(&h->scratch, mark);
    return result;
}
