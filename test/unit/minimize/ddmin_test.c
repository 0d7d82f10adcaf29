/* Delta debugging, step by step. */
#include "minimize/ddmin.h"

#include <string.h>

#include "test.h"
#include "wire/prng.h"

enum { PARTS_MAX = 12, TESTS_MAX = 100 };

/* Parts by bits: what is needed, and what was asked. */
struct failure {
    uint32_t needed;
    uint32_t asked[TESTS_MAX];
    uint32_t asked_count;
};

static bool fails(void *context, const bool *is_in, uint32_t count)
{
    struct failure *f = context;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        parts |= (uint32_t)is_in[i] << i;
    }
    CHECK(f->asked_count < TESTS_MAX);
    f->asked[f->asked_count++] = parts;
    return (parts & f->needed) == f->needed;
}

static uint32_t reduce(struct failure *f, uint32_t count)
{
    bool is_in[PARTS_MAX];
    memset(is_in, true, sizeof is_in);
    ddmin(is_in, count, fails, f);
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        left |= (uint32_t)is_in[i] << i;
    }
    return left;
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
