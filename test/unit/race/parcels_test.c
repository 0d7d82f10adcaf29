#include "race/observed/pending_clocks.h"

#include "test.h"

/* Parcels told apart by their index, all with the same clock. */
struct fixture {
    struct clocks clocks;
    struct parcels parcels;
    uint32_t row;
};

static void fixture_init(struct fixture *f)
{
    f->clocks = (struct clocks){0};
    parcels_init(&f->parcels, &f->clocks);
    (void)clocks_column_new(&f->clocks);
    f->row = clocks_row_new(&f->clocks);
}

static void fixture_release(struct fixture *f)
{
    parcels_release(&f->parcels);
    clocks_release(&f->clocks);
}

static void put(struct fixture *f, uint32_t list, uint64_t index)
{
    parcels_put(&f->parcels, list, f->row)->index = index;
}

TEST(parcels_are_taken_in_the_order_they_were_put_and_the_last_again)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t list = parcels_list_new(&f.parcels);
    CHECK(parcels_take(&f.parcels, list) == NULL);
    put(&f, list, 1);
    put(&f, list, 2);
    CHECK_INT(parcels_take(&f.parcels, list)->index, 1);
    CHECK_INT(parcels_take(&f.parcels, list)->index, 2);
    CHECK_INT(parcels_take(&f.parcels, list)->index, 2);
    put(&f, list, 3);
    CHECK_INT(parcels_take(&f.parcels, list)->index, 3);
    fixture_release(&f);
}

TEST(a_parcel_has_the_clock_of_when_it_was_put)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t list = parcels_list_new(&f.parcels);
    clocks_row(&f.clocks, f.row)[0] = 5;
    put(&f, list, 1);
    clocks_row(&f.clocks, f.row)[0] = 6;
    const struct parcel *taken = parcels_take(&f.parcels, list);
    CHECK_INT(clocks_row(&f.clocks, taken->row)[0], 5);
    fixture_release(&f);
}

TEST(what_was_taken_long_ago_is_not_kept)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t first = parcels_list_new(&f.parcels);
    put(&f, first, 1);
    CHECK_INT(parcels_take(&f.parcels, first)->index, 1);
    for (uint64_t i = 0; i < PARCELS_KEPT_MAX - 1; i++) {
        const uint32_t list = parcels_list_new(&f.parcels);
        put(&f, list, i);
        CHECK(parcels_take(&f.parcels, list) != NULL);
    }
    CHECK_INT(parcels_take(&f.parcels, first)->index, 1);
    const uint32_t last = parcels_list_new(&f.parcels);
    put(&f, last, 2);
    CHECK(parcels_take(&f.parcels, last) != NULL);
    CHECK(parcels_take(&f.parcels, first) == NULL);
    fixture_release(&f);
}

TEST(of_too_many_the_earliest_is_lost_and_its_turn_passes)
{
    struct fixture f;
    fixture_init(&f);
    f.parcels.count_max = 3;
    const uint32_t a = parcels_list_new(&f.parcels);
    const uint32_t b = parcels_list_new(&f.parcels);
    put(&f, a, 1);
    put(&f, b, 2);
    put(&f, a, 3);
    put(&f, b, 4);
    CHECK_INT(f.parcels.lost_count, 1);
    CHECK(parcels_take(&f.parcels, a) == NULL);
    CHECK_INT(parcels_take(&f.parcels, a)->index, 3);
    CHECK_INT(parcels_take(&f.parcels, b)->index, 2);
    CHECK_INT(parcels_take(&f.parcels, b)->index, 4);
    fixture_release(&f);
}

TEST(a_parcel_can_be_dropped_from_the_middle)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t list = parcels_list_new(&f.parcels);
    put(&f, list, 1);
    put(&f, list, 2);
    put(&f, list, 3);
    parcels_drop(&f.parcels, list, parcels_first(&f.parcels, list));
    CHECK_INT(parcels_first(&f.parcels, list)->index, 1);
    CHECK_INT(parcels_next(&f.parcels, parcels_first(&f.parcels, list))->index, 3);
    parcels_drop(&f.parcels, list, parcels_first(&f.parcels, list));
    put(&f, list, 4);
    CHECK_INT(parcels_take(&f.parcels, list)->index, 1);
    CHECK_INT(parcels_take(&f.parcels, list)->index, 4);
    CHECK_INT(f.parcels.count, 0);
    fixture_release(&f);
}
