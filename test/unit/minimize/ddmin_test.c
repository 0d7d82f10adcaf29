/* Delta debugging, step by step. */
#include "minimize/engine/ddmin.h"

#include <string.h>

#include "test.h"
#include "wire/prng.h"

enum { PARTS_MAX = 12, TESTS_MAX = 100 };

/* Parts by bits: what is needed for the failure, what each part needs to make sense, and what was
 * asked. */
struct failure {
    uint32_t needed;
    uint32_t needs[PARTS_MAX];
    uint32_t asked[TESTS_MAX];
    uint32_t asked_count;
};

static bool shows(const struct failure *f, uint32_t parts)
{
    for (uint32_t i = 0; i < PARTS_MAX; i++) {
        if ((parts >> i & 1) != 0 && (f->needs[i] & ~parts) != 0) {
            return false;
        }
    }
    return (parts & f->needed) == f->needed;
}

static bool fails(void *context, const bool *is_in, uint32_t count)
{
    struct failure *f = context;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        parts |= (uint32_t)is_in[i] << i;
    }
    if (f->asked_count < TESTS_MAX) {
        f->asked[f->asked_count++] = parts;
    }
    return shows(f, parts);
}

typedef void (*reducer)(bool *is_in, uint32_t count, ddmin_test fails, void *context);

static uint32_t reduce_by(reducer by, struct failure *f, uint32_t count)
{
    bool is_in[PARTS_MAX];
    memset(is_in, true, sizeof is_in);
    by(is_in, count, fails, f);
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        left |= (uint32_t)is_in[i] << i;
    }
    return left;
}

static uint32_t reduce(struct failure *f, uint32_t count)
{
    return reduce_by(ddmin, f, count);
}

/* Table 5 of the DEMi paper: of eight events the third and the sixth are needed. Its seven steps
 * stand between one that asks whether nothing is needed, and one that it leaves to the reader: that
 * the sixth does not need the fifth beside it. */
TEST(the_papers_example_step_by_step)
{
    struct failure f = {.needed = 1 << 2 | 1 << 5};
    const uint32_t steps[] = {
        0x00, 0x0f, 0xf0, 0xf3, 0xfc, 0xf4, 0x3f, 0x1f, 0x2f,
    };
    CHECK_INT(reduce(&f, 8), f.needed);
    CHECK_INT(f.asked_count, sizeof steps / sizeof *steps);
    for (uint32_t i = 0; i < f.asked_count; i++) {
        CHECK_INT(f.asked[i], steps[i]);
    }
}

TEST(what_is_needed_is_left_and_nothing_else)
{
    struct prng prng;
    prng_init(&prng, 1);
    for (uint64_t i = 0; i < test_count(5000, 100000); i++) {
        const uint32_t count = 1 + (uint32_t)prng_below(&prng, PARTS_MAX);
        const uint64_t few = prng_next(&prng);
        struct failure f = {.needed =
                                (uint32_t)few & (uint32_t)prng_next(&prng) & ((1u << count) - 1)};
        CHECK_INT(reduce(&f, count), f.needed);
    }
}

TEST(parts_that_need_others_keep_them)
{
    struct prng prng;
    prng_init(&prng, 2);
    uint64_t larger = 0;
    for (uint64_t i = 0; i < test_count(5000, 100000); i++) {
        const uint32_t count = 1 + (uint32_t)prng_below(&prng, PARTS_MAX);
        const uint64_t few = prng_next(&prng);
        struct failure f = {.needed =
                                (uint32_t)few & (uint32_t)prng_next(&prng) & ((1u << count) - 1)};
        for (uint32_t k = 1; k < count; k++) {
            f.needs[k] = prng_below(&prng, 2) == 0 ? 1u << prng_below(&prng, k) : 0;
        }
        const uint32_t left = reduce_by(ddmin_dependent, &f, count);
        CHECK(shows(&f, left));
        for (uint32_t k = 0; k < count; k++) {
            CHECK((left >> k & 1) == 0 || !shows(&f, left & ~(1u << k)));
        }
        larger += __builtin_popcount(reduce(&f, count)) > __builtin_popcount(left);
    }
    CHECK(larger > 0); /* or there would be no reason for it */
}

/* Of eight parts the third, the sixth, and the second that both of them need. */
TEST(what_is_left_without_a_chunk_is_asked_too)
{
    struct failure f = {.needed = 1 << 2 | 1 << 5, .needs = {[2] = 1 << 1, [5] = 1 << 1}};
    CHECK_INT(reduce_by(ddmin_dependent, &f, 8), 1 << 1 | 1 << 2 | 1 << 5);
    const uint32_t steps[] = {0x00, 0x0f, 0xf0, 0x03, 0x0c, 0x30, 0xc0, 0xfc, 0xf3, 0xcf, 0x3f};
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        CHECK_INT(f.asked[i], steps[i]);
    }
}
