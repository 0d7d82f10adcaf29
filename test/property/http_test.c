/* Atomicity of HTTP resources against brute force, on random captures of a simulated service:
 * users, versions, locks, barriers, refused writes. */
#include "random_capture.h"
#include "test.h"
#include "wire/prng.h"

enum { BYTES_MAX = 3 * CAPTURE_REQUESTS_MAX };

struct bytes {
    uint8_t at[BYTES_MAX];
    size_t size;
};

/* Leaves out requests while the two still differ. */
static void shrink(struct bytes *b)
{
    for (size_t i = 0; i + 3 <= b->size;) {
        struct bytes less = *b;
        memmove(less.at + i, less.at + i + 3, b->size - i - 3);
        less.size -= 3;
        struct capture_tally groups = {0};
        if (capture_agrees(less.at, less.size, &groups, NULL)) {
            i += 3;
        } else {
            *b = less;
            i = 0;
        }
    }
}

static void fail_with(struct bytes *b, uint64_t seed)
{
    struct out told;
    shrink(b);
    out_open_memory(&told);
    struct capture_tally groups = {0};
    (void)capture_agrees(b->at, b->size, &groups, &told);
    out_char(&told, '\0');
    fail_msg("seed %llu:\n%s", (unsigned long long)seed, told.buffer);
}

/* Few users and resources meet more often. */
static void random_bytes(struct bytes *b, struct prng *prng)
{
    const uint64_t user_count = 2 + prng_below(prng, 2);
    const uint64_t name_count = 1 + prng_below(prng, 4);
    const uint64_t action_count = prng_below(prng, 2) == 0 ? 9 : 12;
    const uint64_t lock_share = prng_below(prng, 3); /* in quarters */
    b->size = 3 * (size_t)(4 + prng_below(prng, CAPTURE_REQUESTS_MAX - 3));
    for (size_t i = 0; i < b->size; i += 3) {
        b->at[i] = (uint8_t)prng_below(prng, user_count);
        b->at[i + 1] = (uint8_t)prng_below(prng, action_count);
        b->at[i + 2] = (uint8_t)(prng_below(prng, name_count) | prng_below(prng, 4) << 4);
        if (b->at[i + 1] >= 9) {
            b->at[i + 2] = (uint8_t)prng_below(prng, 8);
        } else if (prng_below(prng, 4) < lock_share) {
            b->at[i + 1] = (uint8_t)(9 + prng_below(prng, 2));
            b->at[i + 2] = 0;
        }
    }
}

TEST(the_engine_finds_what_brute_force_finds)
{
    const uint64_t count = test_count(500, 10000);
    struct capture_tally groups = {0};
    for (uint64_t seed = 0; seed < count; seed++) {
        struct prng prng;
        struct bytes b;
        prng_init(&prng, seed);
        random_bytes(&b, &prng);
        if (!capture_agrees(b.at, b.size, &groups, NULL)) {
            fail_with(&b, seed);
        }
    }
    print_message(
        "# %llu captures, %llu with %llu patterns; %llu conditional writes, %llu refused\n",
        (unsigned long long)groups.captures, (unsigned long long)groups.with_patterns,
        (unsigned long long)groups.patterns, (unsigned long long)groups.conditional,
        (unsigned long long)groups.refused);
    CHECK(groups.with_patterns > count / 3);
    CHECK(groups.conditional > count / 2);
    CHECK(groups.refused > count / 10);
}
