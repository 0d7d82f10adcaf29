#include "spec/cells.h"

#include <xxhash.h>

void cells_release(struct cells *c)
{
    vec_release(&c->list);
    map_release(&c->index);
}

static struct span plus(struct span a, struct span b)
{
    struct span s = SPAN_ANY;
    return __builtin_add_overflow(a.low, b.low, &s.low) ||
                   __builtin_add_overflow(a.high, b.high, &s.high)
               ? SPAN_ANY
               : s;
}

static struct span minus(struct span a, struct span b)
{
    struct span s = SPAN_ANY;
    return __builtin_sub_overflow(a.low, b.high, &s.low) ||
                   __builtin_sub_overflow(a.high, b.low, &s.high)
               ? SPAN_ANY
               : s;
}

static struct span times(int64_t factor, struct span a)
{
    struct span s;
    if (__builtin_mul_overflow(factor, a.low, &s.low) ||
        __builtin_mul_overflow(factor, a.high, &s.high)) {
        return factor == 0 ? (struct span){0, 0} : SPAN_ANY;
    }
    return factor < 0 ? (struct span){s.high, s.low} : s;
}

/* The corners have the least and the greatest product. Unknown when one overflows. */
static struct span multiplied(struct span a, struct span b)
{
    const int64_t left[] = {a.low, a.low, a.high, a.high};
    const int64_t right[] = {b.low, b.high, b.low, b.high};
    struct span s = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        int64_t corner = 0;
        if (__builtin_mul_overflow(left[i], right[i], &corner)) {
            const bool is_zero = (a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0);
            return is_zero ? (struct span){0, 0} : SPAN_ANY;
        }
        s.low = corner < s.low ? corner : s.low;
        s.high = corner > s.high ? corner : s.high;
    }
    must(s.low <= s.high);
    return s;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct span cell_compute(const struct cell *cell, struct span a, struct span b)
{
    switch ((enum cell_op)cell->op) {
    case CELL_CONSTANT: return (struct span){cell->number, cell->number};
    case CELL_SLOT: break;
    case CELL_PLUS: return plus(a, b);
    case CELL_MINUS: return minus(a, b);
    case CELL_TIMES: return times(cell->number, a);
    case CELL_PRODUCT: return multiplied(a, b);
    case CELL_MIN:
    case CELL_AND: return (struct span){smaller(a.low, b.low), smaller(a.high, b.high)};
    case CELL_MAX:
    case CELL_OR: return (struct span){larger(a.low, b.low), larger(a.high, b.high)};
    case CELL_NOT: return (struct span){1 - a.high, 1 - a.low};
    case CELL_LESS: return (struct span){a.high < b.low, a.low < b.high};
    case CELL_AT_MOST: return (struct span){a.high <= b.low, a.low <= b.high};
    case CELL_EQUAL:
        return (struct span){span_is_known(a) && span_is_known(b) && a.low == b.low,
                             a.low <= b.high && b.low <= a.high};
    }
    bug("cell op");
}

bool cell_has_left(const struct cell *cell)
{
    return cell->op != CELL_CONSTANT && cell->op != CELL_SLOT;
}

bool cell_has_right(const struct cell *cell)
{
    return cell_has_left(cell) && cell->op != CELL_TIMES && cell->op != CELL_NOT;
}

void cells_mark_below(const struct cells *c, struct bits marked)
{
    for (size_t i = c->list.count; i-- > 0;) {
        const struct cell *cell = &c->list.at[i];
        if (bits_has(marked, i) && cell_has_left(cell)) {
            must(cell->left < i); /* operands come before their cell */
            bits_add(marked, cell->left);
        }
        if (bits_has(marked, i) && cell_has_right(cell)) {
            must(cell->right < i);
            bits_add(marked, cell->right);
        }
    }
}

static bool is_constant(const struct cells *c, uint32_t cell)
{
    return vec_at(&c->list, cell)->op == CELL_CONSTANT;
}

static struct span constant_of(const struct cells *c, uint32_t cell)
{
    const int64_t number = vec_at(&c->list, cell)->number;
    must(is_constant(c, cell));
    return (struct span){number, number};
}

/* Finds or appends a cell that cannot be simplified. */
static uint32_t intern(struct cells *c, const struct cell *cell)
{
    const struct {
        uint64_t op;
        uint32_t left, right;
        int64_t number;
    } bytes = {cell->op, cell->left, cell->right, cell->number};
    bool is_new = false;
    const uint32_t next = (uint32_t)c->list.count;
    const uint32_t found = *map_slot(&c->index, XXH3_64bits(&bytes, sizeof bytes), next, &is_new);
    if (!is_new) {
        const struct cell *known = vec_at(&c->list, found);
        if (known->op == cell->op && known->left == cell->left && known->right == cell->right &&
            known->number == cell->number) {
            return found;
        }
    }
    vec_push(&c->list, *cell);
    return next;
}

uint32_t cells_constant(struct cells *c, int64_t number)
{
    return intern(c, &(struct cell){.op = CELL_CONSTANT, .number = number});
}

uint32_t cells_not(struct cells *c, uint32_t left)
{
    return cells_add(c, (struct cell){.op = CELL_NOT, .left = left});
}

/* The operand that decides an and or an or, or the one that is left when the other is neutral;
 * UINT32_MAX when both matter. */
static uint32_t absorb(const struct cells *c, const struct cell *cell)
{
    const uint32_t operands[] = {cell->left, cell->right};
    for (int i = 0; i < 2; i++) {
        if (is_constant(c, operands[i])) {
            const bool is_true = constant_of(c, operands[i]).low != 0;
            return is_true == (cell->op == CELL_OR) ? operands[i] : operands[1 - i];
        }
    }
    return cell->left == cell->right ? cell->left : UINT32_MAX;
}

/* A product with a constant becomes a multiple of the other factor. */
static struct cell simplified(const struct cells *c, struct cell cell)
{
    if (cell.op == CELL_PRODUCT && is_constant(c, cell.left)) {
        return (struct cell){
            .op = CELL_TIMES, .left = cell.right, .number = constant_of(c, cell.left).low};
    }
    if (cell.op == CELL_PRODUCT && is_constant(c, cell.right)) {
        return (struct cell){
            .op = CELL_TIMES, .left = cell.left, .number = constant_of(c, cell.right).low};
    }
    return cell;
}

uint32_t cells_add(struct cells *c, struct cell cell)
{
    cell = simplified(c, cell);
    if (cell.op == CELL_AND || cell.op == CELL_OR) {
        const uint32_t kept = absorb(c, &cell);
        return kept != UINT32_MAX ? kept : intern(c, &cell);
    }
    if (cell.op == CELL_CONSTANT || cell.op == CELL_SLOT || !is_constant(c, cell.left) ||
        (cell_has_right(&cell) && !is_constant(c, cell.right))) {
        return intern(c, &cell);
    }
    const struct span right = cell_has_right(&cell) ? constant_of(c, cell.right) : SPAN_ANY;
    const struct span value = cell_compute(&cell, constant_of(c, cell.left), right);
    return span_is_known(value) ? cells_constant(c, value.low) : intern(c, &cell);
}

static void evaluate(const struct cells *c, size_t i, const struct span *slots,
                     struct span *results)
{
    const struct cell *cell = &c->list.at[i];
    results[i] = cell->op == CELL_SLOT
                     ? slots[cell->left]
                     : cell_compute(cell, results[cell->left], results[cell->right]);
}

void cells_evaluate(const struct cells *c, const struct span *slots, struct span *results)
{
    for (size_t i = 0; i < c->list.count; i++) {
        evaluate(c, i, slots, results);
    }
}

void cells_evaluate_some(const struct cells *c, const uint32_t *some, size_t count,
                         const struct span *slots, struct span *results)
{
    for (size_t i = 0; i < count; i++) {
        evaluate(c, some[i], slots, results);
    }
}
