/* Cells: formulas over one moment, expanded for every process. Each cell is computed from earlier
 * ones, so that one pass evaluates a state. Equal cells are shared.
 *
 * A cell's value is a span: all its possible values, when an absent variable may have any. A truth
 * is a number: 1 is true, 0 false, the span 0..1 undecided. */
#ifndef CLEW_SPEC_CELLS_H
#define CLEW_SPEC_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/map.h"
#include "base/vec.h"

struct span {
    int64_t low, high;
};

/* The span of an absent value. */
#define SPAN_ANY ((struct span){INT64_MIN, INT64_MAX})

static inline bool span_is_known(struct span s)
{
    return s.low == s.high;
}

enum cell_op {
    CELL_CONSTANT, /* number */
    CELL_SLOT,     /* left: the slot */
    CELL_PLUS,
    CELL_MINUS,
    CELL_TIMES, /* left, number */
    CELL_PRODUCT,
    CELL_MIN,
    CELL_MAX,
    CELL_AND,
    CELL_OR,
    CELL_NOT, /* left */
    CELL_LESS,
    CELL_AT_MOST,
    CELL_EQUAL,
};

struct cell {
    uint8_t op; /* enum cell_op */
    uint32_t left, right;
    int64_t number;
};

/* {0} is empty. */
struct cells {
    VEC(struct cell) list;
    struct map index; /* from a hash of a cell to the first with it */
};

void cells_release(struct cells *c);

/* The index of this cell, whose operands exist already. Constants are folded. */
uint32_t cells_add(struct cells *c, struct cell cell);

uint32_t cells_constant(struct cells *c, int64_t number);
uint32_t cells_not(struct cells *c, uint32_t left);

/* Computes results[0 .. list.count) from the values of the slots. */
void cells_evaluate(const struct cells *c, const struct span *slots, struct span *results);

/* Computes only those listed, which must be in ascending order and have their operands among them.
 */
void cells_evaluate_some(const struct cells *c, const uint32_t *some, size_t count,
                         const struct span *slots, struct span *results);

/* Marks all cells that the marked ones depend on. O(cells). */
void cells_mark_below(const struct cells *c, struct bits marked);

/* The value of a cell, which is no slot, from those of its operands. */
struct span cell_compute(const struct cell *cell, struct span left, struct span right);

/* Whether the cell has a left, and a right operand. */
bool cell_has_left(const struct cell *cell);
bool cell_has_right(const struct cell *cell);

#endif
