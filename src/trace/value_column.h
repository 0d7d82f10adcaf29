/* A column: the values of one field, a base and a distance from it each.
 *
 *     0  width of a distance: 0, 1, 2, 4 or 8 bytes
 *     1  base, 8 bytes
 *     9  distances, count times width bytes
 *
 * A value is base plus distance, modulo 2^64. A column whose values are all the same has width 0.
 */
#ifndef CLEW_TRACE_VALUE_COLUMN_H
#define CLEW_TRACE_VALUE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLUMN_HEADER_SIZE = 9 };

struct column {
    unsigned width;
    uint64_t base;
    const uint8_t *distances;
};

/* Takes a column of count values from the bytes at *at and advances *at past it; false when the
 * bytes before `end` hold none. */
bool column_parse(struct column *c, size_t count, const uint8_t **at, const uint8_t *end);

/* Whether all values are below limit, read as unsigned. O(count), vectorized. */
bool column_is_below(const struct column *c, size_t count, uint64_t limit);

/* The value at index. */
uint64_t column_at(const struct column *c, size_t index);

/* Writes values [first, first + count) into fields of field_size bytes (1, 2, 4 or 8) that stand
 * `stride` bytes apart. The values must fit. */
struct column_target {
    void *field;
    size_t field_size;
    size_t stride;
};
void column_spread(const struct column *c, size_t first, size_t count, struct column_target to);

/* Writes values as a column to `to`, which has column_size_max(count) bytes; returns the number of
 * bytes used. */
size_t column_print(uint8_t *to, const uint64_t *values, size_t count);

static inline size_t column_size_max(size_t count)
{
    return COLUMN_HEADER_SIZE + count * sizeof(uint64_t);
}

#endif
