#include "race/vector_clock.h"

#include "base/mem.h"
#include "wire/must.h"

/* The invariant: rows are whole cache lines, and hold all columns. O(1). */
static void check(const struct clocks *c)
{
    must(c->stride % CLOCKS_STEP == 0);
    must(c->width <= c->stride);
    must(c->row_count <= c->row_capacity);
    must(c->unused.count <= c->row_count);
}

void clocks_release(struct clocks *c)
{
    mem_free(c->at);
    vec_release(&c->unused);
    *c = (struct clocks){0};
}

static void widen(struct clocks *c)
{
    const size_t stride = c->stride == 0 ? CLOCKS_STEP : c->stride * 2;
    uint32_t *wider = mem_zero(mem_product(c->row_capacity, stride), sizeof *wider);
    for (size_t row = 0; row < c->row_count; row++) {
        memcpy(wider + row * stride, c->at + row * c->stride, c->width * sizeof *wider);
    }
    mem_free(c->at);
    c->at = wider;
    c->stride = stride;
}

uint32_t clocks_column_new(struct clocks *c)
{
    if (c->width == c->stride) {
        widen(c);
    }
    check(c);
    must(c->width < UINT32_MAX);
    return (uint32_t)c->width++;
}

uint32_t clocks_row_new(struct clocks *c)
{
    if (c->unused.count > 0) {
        const uint32_t row = vec_pop(&c->unused);
        clocks_clear(c, row);
        return row;
    }
    if (c->stride == 0) {
        c->stride = CLOCKS_STEP;
    }
    if (c->row_count == c->row_capacity) {
        c->row_capacity = c->row_capacity == 0 ? 64 : c->row_capacity * 2;
        const size_t row_size = c->stride * sizeof *c->at;
        c->at = mem_resize(c->at, mem_product(c->row_capacity, row_size));
    }
    check(c);
    must(c->row_count < UINT32_MAX);
    const uint32_t row = (uint32_t)c->row_count++;
    clocks_clear(c, row);
    return row;
}

void clocks_row_free(struct clocks *c, uint32_t row)
{
    must(row < c->row_count);
    vec_push(&c->unused, row);
    check(c);
}
