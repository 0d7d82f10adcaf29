#include "base/tuple_intern.h"

#include "test.h"

static struct tuple tuple_of(uint32_t i)
{
    return (struct tuple){{i % 7, i / 7 % 11, i / 77, UINT32_MAX - i % 3}};
}

TEST(tuples_get_numbers_in_the_order_of_their_first_appearance)
{
    struct tuples t = {0};
    CHECK_INT(tuples_intern(&t, (struct tuple){{0}}), 1);
    CHECK_INT(tuples_intern(&t, (struct tuple){{0, 0, 0, 1}}), 2);
    CHECK_INT(tuples_intern(&t, (struct tuple){{1}}), 3);
    CHECK_INT(tuples_intern(&t, (struct tuple){{0, 0, 0, 1}}), 2);
    CHECK_INT(tuples_intern(&t, (struct tuple){{0}}), 1);
    CHECK_INT(t.list.count, 3);
    tuples_release(&t);
}

TEST(many_tuples_that_differ_in_any_word_keep_their_numbers)
{
    struct tuples t = {0};
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 50000; i++) {
            CHECK_INT(tuples_intern(&t, tuple_of(i)), i + 1);
        }
    }
    CHECK_INT(t.list.count, 50000);
    tuples_release(&t);
}
