#include "sim/memory_hash.h"

#include <string.h>

#include "test.h"
#include "wire/prng.h"

enum { SIZE_MAX_HERE = 3 * 4096 + 100 };

static char memory[SIZE_MAX_HERE];
static char fresh[SIZE_MAX_HERE];

/* The slow twin: an image that has seen nothing. */
static uint64_t hash_anew(size_t size, const char *as_loaded)
{
    struct image m = {0};
    const uint64_t hash = image_hash(&m, memory, size, as_loaded);
    image_release(&m);
    return hash;
}

/* A few bytes here and there; sometimes back to what they were. */
static void scribble(struct prng *prng)
{
    for (uint64_t count = prng_below(prng, 4); count > 0; count--) {
        const size_t at = prng_below(prng, SIZE_MAX_HERE);
        memory[at] = prng_below(prng, 3) == 0 ? fresh[at] : (char)prng_below(prng, 256);
    }
}

static void check_steps(uint64_t seed, const char *as_loaded)
{
    struct prng prng;
    struct image m = {0};
    prng_init(&prng, seed);
    for (size_t i = 0; i < SIZE_MAX_HERE; i++) {
        memory[i] = fresh[i] = (char)prng_below(&prng, 256);
    }
    size_t size = SIZE_MAX_HERE;
    for (uint64_t i = 0; i < test_count(1000, 20000); i++) {
        scribble(&prng);
        if (prng_below(&prng, 3) == 0) {
            size = prng_below(&prng, 2) == 0 ? prng_below(&prng, SIZE_MAX_HERE + 1)
                                             : prng_below(&prng, 300);
        }
        CHECK(image_hash(&m, memory, size, as_loaded) == hash_anew(size, as_loaded));
    }
    image_release(&m);
}

TEST(what_was_hashed_before_does_not_count)
{
    check_steps(1, NULL);
}

TEST(what_was_hashed_before_does_not_count_beside_what_is_as_loaded)
{
    check_steps(2, fresh);
}

TEST(every_byte_counts)
{
    struct image m = {0};
    memset(memory, 0, sizeof memory);
    memset(fresh, 0, sizeof fresh);
    const uint64_t before = image_hash(&m, memory, SIZE_MAX_HERE, NULL);
    for (size_t i = 0; i < SIZE_MAX_HERE; i++) {
        memory[i] = 1;
        CHECK(image_hash(&m, memory, SIZE_MAX_HERE, NULL) != before);
        CHECK(hash_anew(SIZE_MAX_HERE, fresh) != 0);
        memory[i] = 0;
    }
    CHECK(image_hash(&m, memory, SIZE_MAX_HERE, NULL) == before);
    CHECK(hash_anew(SIZE_MAX_HERE, fresh) == 0);
    image_release(&m);
}

TEST(places_and_sizes_count)
{
    struct image m = {0};
    memset(memory, 0, sizeof memory);
    const uint64_t one = image_hash(&m, memory, 128, NULL);
    const uint64_t two = image_hash(&m, memory, 256, NULL);
    CHECK(one != two);
    CHECK(two != 2 * one);
    CHECK(image_hash(&m, memory, 255, NULL) != two);
    CHECK(image_hash(&m, memory, 0, NULL) == 0);
    image_release(&m);
}

/* The same value in another variable is another state. */
TEST(the_place_of_a_change_counts)
{
    memset(memory, 0, sizeof memory);
    memset(fresh, 0, sizeof fresh);
    uint64_t hashes[SIZE_MAX_HERE / 8];
    for (size_t i = 0; i < SIZE_MAX_HERE / 8; i++) {
        memory[8 * i] = 1;
        hashes[i] = hash_anew(SIZE_MAX_HERE, fresh);
        memory[8 * i] = 0;
        for (size_t k = 0; k < i; k++) {
            CHECK(hashes[i] != hashes[k]);
        }
    }
}
