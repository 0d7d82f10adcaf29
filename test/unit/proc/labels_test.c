#include "proc/record/word_names.h"

#include "harness/test.h"
#include "wire/prng.h"

enum { MEMORY_SIZE = 1 << 16, STEPS = 20000 };

/* The slow twin: the name of each byte, as long as its word has not got another. */
static uint32_t name_of[MEMORY_SIZE];

static void forget(uint64_t start, uint64_t size)
{
    for (uint64_t at = start / 8 * 8; at < MEMORY_SIZE && at < start + size; at++) {
        name_of[at] = 0;
    }
    for (uint64_t at = start + size; at % 8 != 0 && at < MEMORY_SIZE; at++) {
        name_of[at] = 0;
    }
}

TEST(what_was_put_last_is_known_until_it_is_forgotten)
{
    struct prng prng;
    prng_init(&prng, 11);
    struct labels l = {0};
    for (uint32_t step = 1; step <= STEPS; step++) {
        const uint64_t at = prng_below(&prng, MEMORY_SIZE);
        if (prng_below(&prng, 8) == 0) {
            const uint64_t size = 1 + prng_below(&prng, prng_below(&prng, 2) == 0 ? 30 : 9000);
            labels_forget(&l, at, size);
            forget(at, size);
        } else {
            labels_put(&l, at, step);
            forget(at, 1);
            name_of[at] = step;
        }
        for (int look = 0; look < 8; look++) {
            const uint64_t asked = prng_below(&prng, MEMORY_SIZE);
            CHECK_INT(labels_get(&l, asked), name_of[asked]);
        }
        CHECK_INT(labels_get(&l, at), name_of[at]);
    }
    labels_release(&l);
}

TEST(a_name_too_large_to_be_kept_is_not_known)
{
    struct labels l = {0};
    labels_put(&l, 64, UINT32_MAX >> 3);
    labels_put(&l, 72, (UINT32_MAX >> 3) + 1);
    CHECK_INT(labels_get(&l, 64), UINT32_MAX >> 3);
    CHECK_INT(labels_get(&l, 72), 0);
    labels_release(&l);
}

TEST(the_whole_address_space_is_forgotten_at_once)
{
    struct labels l = {0};
    labels_put(&l, 0x7fffffff0000, 1);
    labels_put(&l, 8, 2);
    labels_forget(&l, 0, 0);
    CHECK_INT(labels_get(&l, 8), 2);
    labels_forget(&l, 0, UINT64_MAX);
    CHECK_INT(labels_get(&l, 8), 0);
    CHECK_INT(labels_get(&l, 0x7fffffff0000), 0);
    labels_release(&l);
}

TEST(more_pages_than_there_is_room_for_are_forgotten)
{
    struct labels l = {0};
    const uint64_t count = (1 << 17) + 10;
    for (uint64_t page = 0; page < count; page++) {
        labels_put(&l, page * 4096, (uint32_t)page + 1);
        CHECK_INT(labels_get(&l, page * 4096), page + 1);
    }
    CHECK_INT(labels_get(&l, 0), 0);
    CHECK_INT(labels_get(&l, (count - 10) * 4096), count - 9);
    labels_release(&l);
}
