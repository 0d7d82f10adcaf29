/* Constraints. */
#include "picking.h"
#include "test.h"
#include "wire/prng.h"

/* All operations touch one object; those of task 0 and 1 write it, those of task 2 read it. */
static uint32_t one_object(uint32_t task, uint32_t index)
{
    (void)task;
    (void)index;
    return 5;
}

static uint32_t position(const struct toy *toy, uint32_t task, uint32_t index)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < toy->step_count; i++) {
        if (toy->order[i] == task && seen++ == index) {
            return i;
        }
    }
    return UINT32_MAX;
}

static struct pick_constraint before(uint64_t first, uint64_t second, bool is_negated)
{
    return (struct pick_constraint){
        .first = first, .second = second, .relation = PICK_BEFORE, .is_negated = is_negated};
}

TEST(an_order_that_is_asked_for_is_kept_by_every_strategy)
{
    struct picking p = picking_new(1);
    const struct pick_constraint c[] = {before(toy_name(2, 1), toy_name(0, 0), false),
                                        before(toy_name(0, 1), toy_name(1, 0), true)};
    for (int strategy = 0; strategy < PICK_STRATEGY_COUNT; strategy++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct toy toy = {.task_count = 3, .lengths = {2, 2, 2}};
            toy_run(&toy, p.pick,
                    &(struct pick_plan){.strategy = (enum pick_strategy)strategy,
                                        .seed = seed,
                                        .constraints = c,
                                        .constraint_count = 2});
            CHECK_INT(toy.stop, PICK_REST);
            CHECK_INT(toy.step_count, 6);
            CHECK(position(&toy, 2, 1) < position(&toy, 0, 0));
            CHECK(position(&toy, 1, 0) < position(&toy, 0, 1));
            CHECK_INT(pick_unsatisfied(p.pick), 2);
        }
    }
    picking_free(&p);
}

TEST(orders_that_contradict_each_other_are_named)
{
    struct picking p = picking_new(1);
    const struct pick_constraint c[] = {before(toy_name(0, 0), toy_name(1, 0), false),
                                        before(toy_name(1, 0), toy_name(0, 0), false)};
    struct toy toy = {.task_count = 2, .lengths = {1, 1}};
    toy_run(&toy, p.pick, &(struct pick_plan){.constraints = c, .constraint_count = 2});
    CHECK_INT(toy.stop, PICK_STUCK);
    CHECK_INT(toy.step_count, 0);
    CHECK_INT(pick_where(p.pick), 1);
    picking_free(&p);
}

TEST(an_operation_that_never_comes_is_named_at_the_end)
{
    struct picking p = picking_new(1);
    const struct pick_constraint c[] = {before(toy_name(0, 0), toy_name(1, 0), false),
                                        before(toy_name(0, 0), 12345, false)};
    struct toy toy = {.task_count = 2, .lengths = {1, 1}};
    toy_run(&toy, p.pick, &(struct pick_plan){.constraints = c, .constraint_count = 2});
    CHECK_INT(toy.stop, PICK_REST);
    CHECK_INT(pick_unsatisfied(p.pick), 1);
    picking_free(&p);
}

/* Who last wrote before task 2 did its step, task 2 being the reader; UINT32_MAX: nobody. */
static uint32_t source(const struct toy *toy)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < toy->step_count; i++) {
        if (toy->order[i] == 2) {
            return last;
        }
        last = toy->order[i];
    }
    return last;
}

static uint32_t source_under(struct pick *pick, uint64_t write, bool is_negated, uint64_t seed)
{
    const struct pick_constraint c = {
        .first = toy_name(2, 0), .second = write, .relation = PICK_FROM, .is_negated = is_negated};
    struct toy toy = {.task_count = 3, .lengths = {1, 1, 1}, .object = one_object};
    toy_run(&toy, pick,
            &(struct pick_plan){
                .strategy = PICK_RANDOM, .seed = seed, .constraints = &c, .constraint_count = 1});
    CHECK_INT(toy.stop, PICK_REST);
    CHECK_INT(pick_unsatisfied(pick), 1);
    return source(&toy);
}

TEST(a_read_takes_its_value_from_the_write_that_is_asked_for)
{
    struct picking p = picking_new(1);
    for (uint64_t seed = 0; seed < 50; seed++) {
        CHECK_INT(source_under(p.pick, toy_name(0, 0), false, seed), 0);
        CHECK_INT(source_under(p.pick, toy_name(1, 0), false, seed), 1);
        CHECK_INT(source_under(p.pick, 0, false, seed), UINT32_MAX);
        CHECK(source_under(p.pick, toy_name(0, 0), true, seed) != 0);
        CHECK(source_under(p.pick, 0, true, seed) != UINT32_MAX);
    }
    picking_free(&p);
}
