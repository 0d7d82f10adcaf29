#include "race/vector_clock.h"

#include "test.h"

TEST(rows_keep_their_numbers_when_columns_are_added)
{
    struct clocks c = {0};
    const uint32_t first = clocks_row_new(&c);
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_INT(clocks_column_new(&c), i);
        clocks_row(&c, first)[i] = i + 1;
    }
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_INT(clocks_row(&c, first)[i], i + 1);
    }
    clocks_release(&c);
}

TEST(a_join_takes_the_later_of_each_column)
{
    struct clocks c = {0};
    for (uint32_t i = 0; i < 40; i++) {
        (void)clocks_column_new(&c);
    }
    const uint32_t a = clocks_row_new(&c);
    const uint32_t b = clocks_row_new(&c);
    for (uint32_t i = 0; i < 40; i++) {
        clocks_row(&c, a)[i] = i;
        clocks_row(&c, b)[i] = 39 - i;
    }
    clocks_join(&c, a, b);
    for (uint32_t i = 0; i < 40; i++) {
        CHECK_INT(clocks_row(&c, a)[i], i > 39 - i ? i : 39 - i);
        CHECK_INT(clocks_row(&c, b)[i], 39 - i);
    }
    clocks_release(&c);
}

TEST(a_row_given_back_comes_again_as_zeros)
{
    struct clocks c = {0};
    (void)clocks_column_new(&c);
    const uint32_t row = clocks_row_new(&c);
    clocks_row(&c, row)[0] = 7;
    clocks_row_free(&c, row);
    CHECK_INT(clocks_row_new(&c), row);
    CHECK_INT(clocks_row(&c, row)[0], 0);
    clocks_release(&c);
}
