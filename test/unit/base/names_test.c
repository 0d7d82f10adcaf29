#include "base/names.h"

#include <string.h>

#include "test.h"

TEST(equal_bytes_get_equal_numbers_in_order_of_appearance)
{
    struct names n;
    names_init(&n);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i <= 10000; i++) {
            char text[16];
            const int size = snprintf(text, sizeof text, "n%u", i);
            CHECK_INT(names_intern(&n, text, (size_t)size), i);
            CHECK_TEXT(names_text(&n, i), text);
        }
    }
    CHECK_INT(names_intern(&n, "", 0), 0);
    CHECK_INT(names_find(&n, "n77", 3), 77);
    CHECK_INT(names_find(&n, "absent", 6), 0);
    names_release(&n);
}

TEST(names_that_are_not_kept_make_room_for_others)
{
    struct names n;
    struct arena arena = {0};
    names_init(&n);
    for (uint32_t round = 0; round < 100; round++) {
        char text[16];
        for (uint32_t i = 0; i < 1000; i++) {
            (void)snprintf(text, sizeof text, "%s%u", i % 100 == 0 ? "kept" : "other",
                           i % 100 == 0 ? i : round * 1000 + i);
            const uint32_t number = names_intern_text(&n, text);
            CHECK_TEXT(names_text(&n, number), text);
            CHECK_INT(names_find(&n, text, strlen(text)), number);
        }
        struct bits is_kept = bits_take(&arena, n.list.count);
        for (uint32_t i = 0; i < 1000; i += 100) {
            (void)snprintf(text, sizeof text, "kept%u", i);
            bits_add(is_kept, names_find(&n, text, strlen(text)));
        }
        names_keep(&n, is_kept);
        CHECK_INT(names_count(&n), 11);
        CHECK_INT(names_find(&n, "other1", 6), 0);
        CHECK_INT(names_find(&n, "", 0), 0);
    }
    CHECK_INT(n.list.count, 1001);
    CHECK_TEXT(names_text(&n, names_find(&n, "kept300", 7)), "kept300");
    arena_release(&arena);
    names_release(&n);
}

TEST(a_name_may_hold_any_bytes)
{
    struct names n;
    names_init(&n);
    const uint32_t with = names_intern(&n, "a\0b", 3);
    const uint32_t without = names_intern(&n, "a", 1);
    CHECK(with != without);
    CHECK_INT(names_size(&n, with), 3);
    assert_memory_equal(names_text(&n, with), "a\0b", 4);
    names_release(&n);
}
