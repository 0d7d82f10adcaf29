#include "base/names.h"

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
