#include "trace/value_column.h"

#include <string.h>

#include "trace/chunk.h"
#include "wire/must.h"

bool column_parse(struct column *c, size_t count, const uint8_t **at, const uint8_t *end)
{
    const size_t available = (size_t)(end - *at);
    if (available < COLUMN_HEADER_SIZE) {
        return false;
    }
    c->width = (*at)[0];
    c->base = load_u64(*at + 1);
    c->distances = *at + COLUMN_HEADER_SIZE;
    if (c->width > 8 || (c->width & (c->width - 1)) != 0 ||
        (c->width > 0 && (available - COLUMN_HEADER_SIZE) / c->width < count)) {
        return false;
    }
    *at = c->distances + count * c->width;
    return true;
}

/* The same loops for each width; unaligned loads go through memcpy, which compiles to plain ones.
 */
#define DEFINE_LARGEST(type)                                               \
    static uint64_t largest_##type(const uint8_t *distances, size_t count) \
    {                                                                      \
        type largest = 0;                                                  \
        for (size_t i = 0; i < count; i++) {                               \
            type distance;                                                 \
            memcpy(&distance, distances + i * sizeof(type), sizeof(type)); \
            largest = distance > largest ? distance : largest;             \
        }                                                                  \
        return largest;                                                    \
    }
DEFINE_LARGEST(uint8_t)
DEFINE_LARGEST(uint16_t)
DEFINE_LARGEST(uint32_t)
DEFINE_LARGEST(uint64_t)

static uint64_t largest_distance(const struct column *c, size_t count)
{
    switch (c->width) {
    case 0: return 0;
    case 1: return largest_uint8_t(c->distances, count);
    case 2: return largest_uint16_t(c->distances, count);
    case 4: return largest_uint32_t(c->distances, count);
    case 8: return largest_uint64_t(c->distances, count);
    default: bug("column width");
    }
}

bool column_is_below(const struct column *c, size_t count, uint64_t limit)
{
    return c->base < limit && largest_distance(c, count) < limit - c->base;
}

uint64_t column_at(const struct column *c, size_t index)
{
    uint64_t distance = 0;
    memcpy(&distance, c->distances + index * c->width, c->width);
    return c->base + distance;
}

#define DEFINE_SPREAD(to_type, from_type)                                                 \
    static void spread_##to_type##_##from_type(uint8_t *to, size_t stride, uint64_t base, \
                                               const uint8_t *distances, size_t count)    \
    {                                                                                     \
        for (size_t i = 0; i < count; i++) {                                              \
            from_type distance;                                                           \
            memcpy(&distance, distances + i * sizeof(from_type), sizeof(from_type));      \
            const to_type value = (to_type)(base + distance);                             \
            memcpy(to + i * stride, &value, sizeof value);                                \
        }                                                                                 \
    }
#define DEFINE_SPREADS(to_type)      \
    DEFINE_SPREAD(to_type, uint8_t)  \
    DEFINE_SPREAD(to_type, uint16_t) \
    DEFINE_SPREAD(to_type, uint32_t) \
    DEFINE_SPREAD(to_type, uint64_t)
DEFINE_SPREADS(uint8_t)
DEFINE_SPREADS(uint16_t)
DEFINE_SPREADS(uint32_t)
DEFINE_SPREADS(uint64_t)

typedef void (*spread_function)(uint8_t *to, size_t stride, uint64_t base, const uint8_t *distances,
                                size_t count);

/* 1, 2, 4, 8 to 0, 1, 2, 3. */
static unsigned index_of_width(size_t width)
{
    must(width == 1 || width == 2 || width == 4 || width == 8);
    return (unsigned)__builtin_ctzl(width);
}

void column_spread(const struct column *c, size_t first, size_t count, struct column_target to)
{
#define SPREADS(to_type)                                                                      \
    {                                                                                         \
        spread_##to_type##_uint8_t, spread_##to_type##_uint16_t, spread_##to_type##_uint32_t, \
            spread_##to_type##_uint64_t                                                       \
    }
    static const spread_function spreads[4][4] = {SPREADS(uint8_t), SPREADS(uint16_t),
                                                  SPREADS(uint32_t), SPREADS(uint64_t)};
#undef SPREADS
    if (c->width == 0) {
        for (size_t i = 0; i < count; i++) {
            memcpy((uint8_t *)to.field + i * to.stride, &c->base, to.field_size);
        }
        return;
    }
    spreads[index_of_width(to.field_size)][index_of_width(c->width)](
        to.field, to.stride, c->base, c->distances + first * c->width, count);
}

#define DEFINE_PRINT(type)                                                                     \
    static void print_##type(uint8_t *to, const uint64_t *values, size_t count, uint64_t base) \
    {                                                                                          \
        for (size_t i = 0; i < count; i++) {                                                   \
            const type distance = (type)(values[i] - base);                                    \
            memcpy(to + i * sizeof(type), &distance, sizeof(type));                            \
        }                                                                                      \
    }
DEFINE_PRINT(uint8_t)
DEFINE_PRINT(uint16_t)
DEFINE_PRINT(uint32_t)
DEFINE_PRINT(uint64_t)

/* The smallest value as a signed number: a field around zero, or any that spans less than half of
 * all numbers, then has small distances. */
static uint64_t base_of(const uint64_t *values, size_t count)
{
    int64_t base = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const int64_t value = (int64_t)values[i];
        base = value < base ? value : base;
    }
    return (uint64_t)base;
}

size_t column_print(uint8_t *to, const uint64_t *values, size_t count)
{
    must(count > 0);
    const uint64_t base = base_of(values, count);
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= values[i] - base;
    }
    const unsigned width = bits == 0            ? 0
                           : bits <= UINT8_MAX  ? 1
                           : bits <= UINT16_MAX ? 2
                           : bits <= UINT32_MAX ? 4
                                                : 8;
    to[0] = (uint8_t)width;
    save_u64(to + 1, base);
    uint8_t *distances = to + COLUMN_HEADER_SIZE;
    switch (width) {
    case 0: break;
    case 1: print_uint8_t(distances, values, count, base); break;
    case 2: print_uint16_t(distances, values, count, base); break;
    case 4: print_uint32_t(distances, values, count, base); break;
    default: print_uint64_t(distances, values, count, base); break;
    }
    return COLUMN_HEADER_SIZE + count * width;
}
