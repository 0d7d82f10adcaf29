#include "trace/value_column.h"

#include "test.h"
#include "wire/prng.h"

enum { COUNT_MAX = 300 };

/* Values around any centre, as far apart as any width can hold. */
static size_t random_values(struct prng *prng, uint64_t values[COUNT_MAX])
{
    const size_t count = 1 + (size_t)prng_below(prng, COUNT_MAX);
    const uint64_t base = prng_next(prng) >> prng_below(prng, 64);
    const unsigned bits = (unsigned)prng_below(prng, 65);
    for (size_t i = 0; i < count; i++) {
        values[i] = base + (bits == 0 ? 0 : prng_next(prng) >> (64 - bits));
    }
    return count;
}

TEST(every_column_comes_back_the_same_by_every_way)
{
    struct prng prng;
    prng_init(&prng, 9);
    for (int round = 0; round < 2000; round++) {
        uint64_t values[COUNT_MAX] = {0};
        uint8_t bytes[COLUMN_HEADER_SIZE + 8 * COUNT_MAX];
        const size_t count = random_values(&prng, values);
        const size_t size = column_print(bytes, values, count);
        CHECK(size <= column_size_max(count));

        struct column c;
        const uint8_t *at = bytes;
        CHECK(column_parse(&c, count, &at, bytes + size));
        CHECK(at == bytes + size);
        const uint8_t *start = bytes;
        CHECK(!column_parse(&c, count, &start, bytes + size - 1));
        CHECK(column_parse(&c, count, &start, bytes + size));

        struct {
            uint64_t wide;
            uint32_t narrow;
            uint16_t small;
            uint8_t tiny;
        } rows[COUNT_MAX] = {0};
        const size_t first = (size_t)prng_below(&prng, count);
        const size_t some = count - first;
        const size_t stride = sizeof *rows;
        column_spread(&c, first, some, (struct column_target){&rows[0].wide, 8, stride});
        column_spread(&c, first, some, (struct column_target){&rows[0].narrow, 4, stride});
        column_spread(&c, first, some, (struct column_target){&rows[0].small, 2, stride});
        column_spread(&c, first, some, (struct column_target){&rows[0].tiny, 1, stride});
        for (size_t i = 0; i < some; i++) {
            CHECK(column_at(&c, first + i) == values[first + i]);
            CHECK(rows[i].wide == values[first + i]);
            CHECK(rows[i].narrow == (uint32_t)values[first + i]);
            CHECK(rows[i].small == (uint16_t)values[first + i]);
            CHECK(rows[i].tiny == (uint8_t)values[first + i]);
        }
    }
}

TEST(a_column_is_below_a_limit_when_all_its_values_are)
{
    struct prng prng;
    prng_init(&prng, 10);
    for (int round = 0; round < 2000; round++) {
        uint64_t values[COUNT_MAX] = {0};
        uint8_t bytes[COLUMN_HEADER_SIZE + 8 * COUNT_MAX];
        const size_t count = random_values(&prng, values);
        const size_t size = column_print(bytes, values, count);
        struct column c;
        const uint8_t *at = bytes;
        CHECK(column_parse(&c, count, &at, bytes + size));
        uint64_t largest = 0;
        bool has_wrapped = false; /* past 2^64, where a column is below nothing */
        for (size_t i = 0; i < count; i++) {
            largest = values[i] > largest ? values[i] : largest;
            has_wrapped |= values[i] < c.base;
        }
        CHECK(column_is_below(&c, count, largest) == false);
        if (largest < UINT64_MAX && !has_wrapped) {
            CHECK(column_is_below(&c, count, largest + 1));
        }
    }
}

TEST(a_width_that_is_none_is_no_column)
{
    uint8_t bytes[COLUMN_HEADER_SIZE + 64] = {0};
    for (unsigned width = 0; width < 256; width++) {
        bytes[0] = (uint8_t)width;
        struct column c;
        const uint8_t *at = bytes;
        const bool is_width = width == 0 || width == 1 || width == 2 || width == 4 || width == 8;
        CHECK(column_parse(&c, 8, &at, bytes + sizeof bytes) == is_width);
    }
}
