#include "wire/prng.h"

#include "test.h"

TEST(the_same_seed_gives_the_same_numbers)
{
    struct prng a;
    struct prng b;
    prng_init(&a, 42);
    prng_init(&b, 42);
    for (int i = 0; i < 1000; i++) {
        CHECK(prng_next(&a) == prng_next(&b));
    }
}

/* The first outputs of the reference definition of splitmix64 from seed 0. */
TEST(splitmix_gives_its_published_numbers)
{
    uint64_t seed = 0;
    CHECK(prng_splitmix(&seed) == 0xe220a8397b1dcdafu);
    CHECK(prng_splitmix(&seed) == 0x6e789e6aa1b965f4u);
    CHECK(prng_splitmix(&seed) == 0x06c45d188009454fu);
}

TEST(numbers_below_a_bound_are_even)
{
    struct prng prng;
    prng_init(&prng, 7);
    uint32_t seen[6] = {0};
    for (int i = 0; i < 60000; i++) {
        seen[prng_below(&prng, 6)]++;
    }
    for (int i = 0; i < 6; i++) {
        CHECK(seen[i] > 9600);
        CHECK(seen[i] < 10400);
    }
}
