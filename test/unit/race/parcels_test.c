#include "race/observed/pending_clocks.h"

#include "test.h"

/* Parcels told apart by their index, all with the same clock. */
struct fixture {
    struct clocks clocks;
    struct pending_clocks pending;
    uint32_t row;
};

static void fixture_init(struct fixture *f)
{
    f->clocks = (struct clocks){0};
    pending_clocks_init(&f->pending, &f->clocks);
    (void)clocks_column_new(&f->clocks);
    f->row = clocks_row_new(&f->clocks);
}

static void fixture_release(struct fixture *f)
{
    pending_clocks_release(&f->pending);
    clocks_release(&f->clocks);
}

static void put(struct fixture *f, uint32_t list, uint64_t index)
{
    pending_clocks_put(&f->pending, list, f->row)->index = index;
}

TEST(pending_clocks_are_taken_in_the_order_they_were_put_and_the_last_again)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t list = pending_clocks_list_new(&f.pending);
    CHECK(pending_clocks_take(&f.pending, list) == NULL);
    put(&f, list, 1);
    put(&f, list, 2);
    CHECK_INT(pending_clocks_take(&f.pending, list)->index, 1);
    CHECK_INT(pending_clocks_take(&f.pending, list)->index, 2);
    CHECK_INT(pending_clocks_take(&f.pending, list)->index, 2);
    put(&f, list, 3);
    CHECK_INT(pending_clocks_take(&f.pending, list)->index, 3);
    fixture_release(&f);
}

TEST(a_parcel_has_the_clock_of_when_it_was_put)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t list = pending_clocks_list_new(&f.pending);
    clocks_row(&f.clocks, f.row)[0] = 5;
    put(&f, list, 1);
    clocks_row(&f.clocks, f.row)[0] = 6;
    const struct pending_clock *taken = pending_clocks_take(&f.pending, list);
    CHECK_INT(clocks_row(&f.clocks, taken->row)[0], 5);
    fixture_release(&f);
}

TEST(what_was_taken_long_ago_is_not_kept)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t first = pending_clocks_list_new(&f.pending);
    put(&f, first, 1);
    CHECK_INT(pending_clocks_take(&f.pending, first)->index, 1);
    for (uint64_t i = 0; i < PENDING_KEPT_MAX - 1; i++) {
        const uint32_t list = pending_clocks_list_new(&f.pending);
        put(&f, list, i);
        CHECK(pending_clocks_take(&f.pending, list) != NULL);
    }
    CHECK_INT(pending_clocks_take(&f.pending, first)->index, 1);
    const uint32_t last = pending_clocks_list_new(&f.pending);
    put(&f, last, 2);
    CHECK(pending_clocks_take(&f.pending, last) != NULL);
    CHECK(pending_clocks_take(&f.pending, first) == NULL);
    fixture_release(&f);
}

TEST(of_too_many_the_earliest_is_lost_and_its_turn_passes)
{
    struct fixture f;
    fixture_init(&f);
    f.pending.count_max = 3;
    const uint32_t a = pending_clocks_list_new(&f.pending);
    const uint32_t b = pending_clocks_list_new(&f.pending);
    put(&f, a, 1);
    put(&f, b, 2);
    put(&f, a, 3);
    put(&f, b, 4);
    CHECK_INT(f.pending.lost_count, 1);
    CHECK(pending_clocks_take(&f.pending, a) == NULL);
    CHECK_INT(pending_clocks_take(&f.pending, a)->index, 3);
    CHECK_INT(pending_clocks_take(&f.pending, b)->index, 2);
    CHECK_INT(pending_clocks_take(&f.pending, b)->index, 4);
    fixture_release(&f);
}

TEST(a_parcel_can_be_dropped_from_the_middle)
{
    struct fixture f;
    fixture_init(&f);
    const uint32_t list = pending_clocks_list_new(&f.pending);
    put(&f, list, 1);
    put(&f, list, 2);
    put(&f, list, 3);
    pending_clocks_drop(&f.pending, list, pending_clocks_first(&f.pending, list));
    CHECK_INT(pending_clocks_first(&f.pending, list)->index, 1);
    CHECK_INT(pending_clocks_next(&f.pending, pending_clocks_first(&f.pending, list))->index, 3);
    pending_clocks_drop(&f.pending, list, pending_clocks_first(&f.pending, list));
    put(&f, list, 4);
    CHECK_INT(pending_clocks_take(&f.pending, list)->index, 1);
    CHECK_INT(pending_clocks_take(&f.pending, list)->index, 4);
    CHECK_INT(f.pending.count, 0);
    fixture_release(&f);
}
