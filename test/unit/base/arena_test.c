#include "base/arena.h"

#include "base/bits.h"
#include "test.h"
#include "wire/prng.h"

TEST(what_is_taken_is_clear_aligned_and_apart)
{
    struct arena a = {0};
    struct prng prng;
    prng_init(&prng, 1);
    unsigned char *last = NULL;
    size_t last_size = 0;
    for (int i = 0; i < 5000; i++) {
        const size_t align = (size_t)1 << prng_below(&prng, 7);
        const size_t size =
            prng_below(&prng, 10) == 0 ? prng_below(&prng, 100000) : prng_below(&prng, 100);
        unsigned char *taken = arena_take(&a, size, align);
        CHECK((uintptr_t)taken % align == 0);
        for (size_t k = 0; k < size; k++) {
            assert_int_equal(taken[k], 0);
        }
        memset(taken, 0xff, size);
        CHECK(last == NULL || taken >= last + last_size || taken + size <= last);
        last = taken;
        last_size = size;
    }
    arena_release(&a);
    CHECK_INT(a.size_total, 0);
}

TEST(reset_gives_back_what_came_after_the_mark_and_keeps_the_rest)
{
    struct arena a = {0};
    char *kept = arena_text(&a, "kept", 4);
    const struct arena_mark mark = arena_mark(&a);
    const size_t size_total = a.size_total;
    for (int i = 0; i < 100; i++) {
        memset(arena_take(&a, 10000, 8), 0xff, 10000);
    }
    arena_reset(&a, mark);
    CHECK_TEXT(kept, "kept");
    CHECK_INT(a.size_total, size_total);
    const char *again = arena_take(&a, 64, 1);
    for (int i = 0; i < 64; i++) {
        CHECK_INT(again[i], 0);
    }
    arena_release(&a);
}

TEST(bits_hold_exactly_what_was_added)
{
    struct arena a = {0};
    const struct bits b = bits_take(&a, 130);
    bits_add(b, 0);
    bits_add(b, 64);
    bits_add(b, 129);
    bits_remove(b, 64);
    for (size_t i = 0; i < 130; i++) {
        CHECK_INT(bits_has(b, i), i == 0 || i == 129);
    }
    arena_release(&a);
}
