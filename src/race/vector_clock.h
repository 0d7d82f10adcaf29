/* Vector clocks as rows of one table. A column is a chain of events that are ordered with each
 * other (a thread, or threads that followed one another); the number in it says how much of the
 * chain is before.
 *
 *             column 0   1   2 ...
 *     row 0        5   0   3         the clock of a task, a lock, a message under way ...
 *     row 1        2   7   3
 *
 * Rows are a multiple of 64 bytes, so that few columns cost a cache line and loops need no tail. */
#ifndef CLEW_RACE_VECTOR_CLOCK_H
#define CLEW_RACE_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "wire/must.h"

/* {0} is empty. */
struct clocks {
    uint32_t *at;
    size_t stride; /* numbers in a row, a multiple of CLOCKS_STEP */
    size_t width;  /* columns in use */
    size_t row_count, row_capacity;
    VEC(uint32_t) unused; /* rows released */
};

enum { CLOCKS_STEP = 16 };

void clocks_release(struct clocks *c);

_Static_assert(CLOCKS_STEP * sizeof(uint32_t) == 64, "rows are whole cache lines");

/* A new column, 0 in every row. Rows move; amortized O(rows). */
uint32_t clocks_column_new(struct clocks *c);

/* A row of zeros. Rows move. */
uint32_t clocks_row_new(struct clocks *c);
void clocks_row_free(struct clocks *c, uint32_t row);

/* The numbers of a row, valid until the next clocks_..._new. */
static inline uint32_t *clocks_row(const struct clocks *c, uint32_t row)
{
    must_in_tests(row < c->row_count);
    return c->at + row * c->stride;
}

/* to becomes the later of both, column by column. O(columns). */
static inline void clocks_join(const struct clocks *c, uint32_t to, uint32_t from)
{
    uint32_t *restrict a = clocks_row(c, to);
    const uint32_t *restrict b = clocks_row(c, from);
    for (size_t i = 0; i < c->width; i += CLOCKS_STEP) {
        for (size_t k = 0; k < CLOCKS_STEP; k++) {
            a[i + k] = a[i + k] > b[i + k] ? a[i + k] : b[i + k];
        }
    }
}

static inline void clocks_copy(const struct clocks *c, uint32_t to, uint32_t from)
{
    memcpy(clocks_row(c, to), clocks_row(c, from), c->stride * sizeof *c->at);
}

static inline void clocks_clear(const struct clocks *c, uint32_t row)
{
    memset(clocks_row(c, row), 0, c->stride * sizeof *c->at);
}

#endif
