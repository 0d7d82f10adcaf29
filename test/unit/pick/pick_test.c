#include "pick/pick.h"

#include "picking.h"
#include "test.h"
#include "wire/kind.h"

/* The tasks that moved, as digits. */
static const char *order_of(const struct toy *toy)
{
    static char text[TOY_STEPS_MAX + 1];
    for (uint32_t i = 0; i < toy->step_count; i++) {
        text[i] = (char)('0' + toy->order[i]);
    }
    text[toy->step_count] = '\0';
    return text;
}

static const char *order_under(const struct pick_plan *plan, int *stop, size_t *where)
{
    static struct toy toy;
    toy = (struct toy){.task_count = 3, .lengths = {2, 2, 2}};
    struct picking p = picking_new(1);
    toy_run(&toy, p.pick, plan);
    *stop = toy.stop;
    *where = pick_where(p.pick);
    picking_free(&p);
    return order_of(&toy);
}

TEST(without_a_plan_the_default_order_is_taken)
{
    int stop = 0;
    size_t where = 0;
    CHECK_TEXT(order_under(&(struct pick_plan){0}, &stop, &where), "001122");
    CHECK_INT(stop, PICK_REST);
}

TEST(a_turn_is_taken_at_its_step_and_the_default_around_it)
{
    const struct pick_turn turns[] = {{.name = toy_name(2, 0), .step = 1},
                                      {.name = toy_name(1, 0), .step = 2}};
    int stop = 0;
    size_t where = 0;
    const struct pick_plan plan = {.turns = turns, .turn_count = 2};
    CHECK_TEXT(order_under(&plan, &stop, &where), "021012");
    CHECK_INT(stop, PICK_REST);
}

TEST(a_turn_that_is_not_pending_is_a_divergence_with_its_number)
{
    const struct pick_turn turns[] = {{.name = toy_name(1, 0), .step = 0},
                                      {.name = toy_name(2, 1), .step = 2}};
    int stop = 0;
    size_t where = 0;
    const struct pick_plan plan = {.turns = turns, .turn_count = 2};
    CHECK_TEXT(order_under(&plan, &stop, &where), "10");
    CHECK_INT(stop, PICK_DIVERGED);
    CHECK_INT(where, 1);
}

TEST(a_lenient_plan_goes_on_without_what_is_not_pending)
{
    const struct pick_turn turns[] = {{.name = toy_name(2, 1), .step = 0},
                                      {.name = toy_name(1, 0), .step = 1}};
    int stop = 0;
    size_t where = 0;
    const struct pick_plan plan = {.turns = turns, .turn_count = 2, .is_lenient = true};
    CHECK_TEXT(order_under(&plan, &stop, &where), "010122");
    CHECK_INT(stop, PICK_REST);
}

TEST(what_sleeps_is_passed_over_until_something_conflicts_with_it)
{
    const struct pick_operation asleep = {.name = toy_name(0, 0), .task = 7, .objects = {9}};
    int stop = 0;
    size_t where = 0;
    const struct pick_plan plan = {.asleep = &asleep, .asleep_count = 1};
    CHECK_TEXT(order_under(&plan, &stop, &where), "1122");
    CHECK_INT(stop, PICK_ASLEEP);
    /* Of task 1: its first step wakes it. */
    const struct pick_operation light = {.name = toy_name(0, 0), .task = 1};
    const struct pick_plan woken = {.asleep = &light, .asleep_count = 1};
    CHECK_TEXT(order_under(&woken, &stop, &where), "100122");
    CHECK_INT(stop, PICK_REST);
}

TEST(the_last_turn_wakes_what_it_conflicts_with)
{
    const struct pick_turn turn = {.name = toy_name(1, 0), .step = 0};
    const struct pick_operation asleep = {.name = toy_name(0, 0), .task = 1};
    int stop = 0;
    size_t where = 0;
    const struct pick_plan plan = {
        .turns = &turn, .turn_count = 1, .asleep = &asleep, .asleep_count = 1};
    CHECK_TEXT(order_under(&plan, &stop, &where), "100122");
}

TEST(operations_conflict_over_a_task_or_an_object_that_one_changes)
{
    const struct pick_operation write_x = {.task = 1, .objects = {5}, .writes = 1};
    const struct pick_operation read_x = {.task = 2, .objects = {5}};
    const struct pick_operation read_again = {.task = 3, .objects = {4, 5}};
    const struct pick_operation write_y = {.task = 4, .objects = {6, 7}, .writes = 2};
    const struct pick_operation none = {.task = 5};
    const struct pick_operation all = {.task = 6, .objects = {PICK_EVERYTHING}, .writes = 1};
    CHECK(pick_conflicts(&write_x, &read_x));
    CHECK(pick_conflicts(&read_x, &write_x));
    CHECK(pick_conflicts(&write_x, &read_again));
    CHECK(!pick_conflicts(&read_x, &read_again));
    CHECK(!pick_conflicts(&write_x, &write_y));
    CHECK(!pick_conflicts(&write_x, &none));
    CHECK(!pick_conflicts(&none, &write_x));
    CHECK(pick_conflicts(&none, &none));
    CHECK(pick_conflicts(&all, &read_x));
    CHECK(pick_conflicts(&read_x, &all));
    CHECK(!pick_conflicts(&all, &none));
}

TEST(faults_are_never_the_default_and_rest_does_not_wait_for_them)
{
    struct picking p = picking_new(1);
    const struct pick_operation pending[] = {{.name = 1, .task = 0},
                                             {.name = 2, .task = 1, .fault = FAULT_CRASH}};
    pick_begin(p.pick, &(struct pick_plan){0});
    CHECK_INT(pick_choose(p.pick, pending, 2), 0);
    CHECK_INT(pick_choose(p.pick, pending + 1, 1), PICK_REST);
    pick_end(p.pick);
    /* A turn may be a fault, at rest too. */
    const struct pick_turn turn = {.name = 2, .step = 0};
    pick_begin(p.pick, &(struct pick_plan){.turns = &turn, .turn_count = 1});
    CHECK_INT(pick_choose(p.pick, pending + 1, 1), 0);
    picking_free(&p);
}

TEST(a_strategy_takes_a_fault_now_and_then)
{
    struct picking p = picking_new(1);
    const struct pick_operation pending[] = {{.name = 1, .task = 0},
                                             {.name = 2, .task = 1, .fault = FAULT_CRASH}};
    int faults = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_RANDOM, .seed = seed});
        faults += pick_choose(p.pick, pending, 2);
        pick_end(p.pick);
    }
    CHECK(faults > 90);
    CHECK(faults < 160);
    picking_free(&p);
}

TEST(a_strategy_chooses_only_what_it_may)
{
    struct picking p = picking_new(1);
    const struct pick_operation pending[] = {{.name = 1, .task = 0, .action = 10},
                                             {.name = 2, .task = 1, .action = 20},
                                             {.name = 3, .task = 2, .action = 30},
                                             {.name = 4, .task = 0, .fault = FAULT_CRASH}};
    const uint64_t actions[] = {5, 20, 25};
    uint32_t chosen[4] = {0};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_RANDOM,
                                               .seed = seed,
                                               .actions = actions,
                                               .action_count = 3});
        chosen[pick_choose(p.pick, pending, 4)]++;
        CHECK_INT(pick_choose(p.pick, pending + 2, 1), PICK_DONE);
        pick_end(p.pick);
    }
    CHECK_INT(chosen[0] + chosen[2], 0);
    CHECK(chosen[1] > 800);
    CHECK(chosen[3] > 90);
    picking_free(&p);
}

TEST(a_strategy_takes_no_more_from_outside_than_it_may)
{
    struct picking p = picking_new(1);
    const struct pick_operation pending[] = {{.name = 1, .task = 0, .is_external = true},
                                             {.name = 2, .task = 1, .is_external = true},
                                             {.name = 3, .task = 2}};
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct pick_plan plan = {.strategy = PICK_RANDOM, .seed = seed, .externals_max = 2};
        int externals = 0;
        pick_begin(p.pick, &plan);
        for (int i = 0; i < 50; i++) {
            externals += pick_choose(p.pick, pending, 3) < 2;
        }
        CHECK_INT(externals, 2);
        CHECK_INT(pick_choose(p.pick, pending, 2), PICK_DONE);
        pick_end(p.pick);
    }
    picking_free(&p);
}

TEST(rare_timers_come_now_and_then_and_where_nothing_else_is_pending)
{
    struct picking p = picking_new(1);
    const struct pick_operation pending[] = {{.name = 1, .task = 0, .kind = EVENT_TIMER_FIRE},
                                             {.name = 2, .task = 1, .kind = EVENT_TIMER_FIRE},
                                             {.name = 3, .task = 2},
                                             {.name = 4, .task = 3, .fault = FAULT_CRASH}};
    const struct pick_plan plan = {.strategy = PICK_RANDOM, .seed = 7, .has_rare_timers = true};
    int chosen[4] = {0};
    pick_begin(p.pick, &plan);
    for (int i = 0; i < 8000; i++) {
        chosen[pick_choose(p.pick, pending, 4)]++;
    }
    /* One in eight is a fault; of the others one in eight is any of the three. */
    CHECK(chosen[0] > 200 && chosen[0] < 400);
    CHECK(chosen[1] > 200 && chosen[1] < 400);
    CHECK(chosen[3] > 800 && chosen[3] < 1200);
    for (int i = 0; i < 100; i++) {
        CHECK(pick_choose(p.pick, pending, 2) >= 0);
    }
    pick_end(p.pick);
    picking_free(&p);
}

TEST(strategies_are_known_by_name)
{
    for (int i = 0; i < PICK_STRATEGY_COUNT; i++) {
        CHECK_INT(pick_strategy_find(pick_strategy_name((enum pick_strategy)i)), i);
    }
    CHECK_INT(pick_strategy_find("psychic"), -1);
}

TEST(the_same_seed_chooses_the_same)
{
    for (int i = 0; i < PICK_STRATEGY_COUNT; i++) {
        char first[TOY_STEPS_MAX + 1] = "";
        int stop = 0;
        size_t where = 0;
        const struct pick_plan plan = {.strategy = (enum pick_strategy)i, .seed = 42};
        strncpy(first, order_under(&plan, &stop, &where), sizeof first - 1);
        CHECK_INT(strlen(first), 6);
        CHECK_TEXT(order_under(&plan, &stop, &where), first);
    }
}

/* How often, in 1,000 first choices, a timer is taken where two messages and a timer are pending.
 */
static uint32_t timers_taken(struct pick_weights weights, enum pick_strategy strategy)
{
    const struct pick_operation pending[] = {
        {.name = 1, .action = 1, .task = 0, .kind = EVENT_RECV},
        {.name = 2, .action = 2, .task = 1, .kind = EVENT_TIMER_FIRE},
        {.name = 3, .action = 3, .task = 2, .kind = EVENT_RECV},
    };
    struct picking p = picking_new(1);
    uint32_t count = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        const struct pick_plan plan = {.strategy = strategy, .seed = seed, .weights = weights};
        pick_begin(p.pick, &plan);
        count += pick_choose(p.pick, pending, 3) == 1;
        pick_end(p.pick);
    }
    picking_free(&p);
    return count;
}

TEST(classes_are_drawn_by_their_weights)
{
    const struct pick_weights rare = {{[PICK_CLASS_MESSAGE] = 8, [PICK_CLASS_TIMER] = 1}};
    const struct pick_weights never = {{[PICK_CLASS_MESSAGE] = 1}};
    const struct pick_weights often = {{[PICK_CLASS_MESSAGE] = 1, [PICK_CLASS_TIMER] = 8}};
    const enum pick_strategy strategies[] = {PICK_RANDOM, PICK_POS, PICK_SURW};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t of_rare = timers_taken(rare, strategies[i]);
        CHECK(of_rare > 30);
        CHECK(of_rare < 90); /* one in 17 */
        CHECK_INT(timers_taken(never, strategies[i]), 0);
        CHECK(timers_taken(often, strategies[i]) > 750); /* eight in ten */
    }
    CHECK(timers_taken((struct pick_weights){{0}}, PICK_RANDOM) > 280);
}

/* A task that sleeps again and again, above one that could go on in all orders of priorities. */
TEST(a_task_that_can_go_on_is_not_passed_by_for_ever)
{
    struct picking p = picking_new(1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        pick_begin(p.pick, &(struct pick_plan){
                               .strategy = PICK_PCT, .depth = 1, .seed = seed, .is_fair = true});
        uint32_t fired = 0;
        int chosen = 0;
        for (uint32_t step = 0; step < 10 * FAIR_TIMERS && chosen == 0; step++) {
            const struct pick_operation pending[] = {
                {.name = 10 + step, .task = 0, .kind = EVENT_SLEEP},
                {.name = 1, .task = 1, .kind = EVENT_WRITE}};
            chosen = pick_choose(p.pick, pending, 2);
            fired += chosen == 0;
        }
        CHECK_INT(chosen, 1);
        CHECK(fired <= FAIR_TIMERS);
    }
    picking_free(&p);
}
