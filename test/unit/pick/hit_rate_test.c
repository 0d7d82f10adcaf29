/* How often strategies do what their papers promise. Seeds are fixed: these tests always give the
 * same numbers. */
#include <math.h>

#include "picking.h"
#include "test.h"
#include "wire/kind.h"

/* Bugs of depth d: d points of different tasks that must come in this order. */
struct depth_bug {
    uint32_t task_count;
    uint32_t length;
    uint32_t depth;
};

/* The points: the first of task 0 last of its steps, then the first step of the others in turn. A
 * bug of depth 1 needs only that the last task goes first. */
static bool shows(const struct toy *toy, const struct depth_bug *bug)
{
    uint32_t done[TOY_TASKS_MAX] = {0};
    uint32_t reached = 0;
    for (uint32_t i = 0; i < toy->step_count; i++) {
        const uint32_t task = toy->order[i];
        const uint32_t index = done[task]++;
        if (bug->depth == 1) {
            return task == bug->task_count - 1;
        }
        /* Task 0 in the middle, then task 1 in the middle, then task 0 to its end before task 1. */
        if (reached == 0 && task == 1 && index == 0 && done[0] == bug->length / 2) {
            reached = 1;
            if (bug->depth == 2) {
                return true;
            }
        } else if (reached == 1 && task == 0 && done[1] == bug->length / 2) {
            return true;
        }
    }
    return false;
}

static double rate(enum pick_strategy strategy, const struct depth_bug *bug, uint32_t runs)
{
    struct picking p = picking_new(1);
    uint32_t hits = 0;
    for (uint32_t run = 0; run < runs; run++) {
        struct toy toy = {.task_count = bug->task_count};
        for (uint32_t t = 0; t < bug->task_count; t++) {
            toy.lengths[t] = bug->length;
        }
        toy_run(&toy, p.pick,
                &(struct pick_plan){
                    .strategy = strategy, .depth = bug->depth, .seed = run * UINT64_C(7919) + 1});
        hits += shows(&toy, bug);
    }
    picking_free(&p);
    return (double)hits / runs;
}

/* What is promised, less three standard deviations of so many runs. */
static double guarantee(const struct depth_bug *bug, uint32_t runs)
{
    double g = 1.0 / bug->task_count;
    for (uint32_t i = 1; i < bug->depth; i++) {
        g /= bug->task_count * bug->length;
    }
    return g - 3 * sqrt(g * (1 - g) / runs);
}

TEST(pct_finds_bugs_as_often_as_promised)
{
    static const struct depth_bug bugs[] = {
        {2, 6, 1}, {4, 6, 1}, {2, 6, 2}, {3, 6, 2}, {2, 6, 3}, {3, 4, 3},
    };
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        const uint32_t runs = (uint32_t)test_count(20000, 200000);
        const double got = rate(PICK_PCT, &bugs[i], runs);
        if (got < guarantee(&bugs[i], runs)) {
            fail_msg("depth %u, %u tasks: %f, promised %f", bugs[i].depth, bugs[i].task_count, got,
                     guarantee(&bugs[i], runs));
        }
    }
}

/* Operations on one object conflict; pos then draws anew for all, which is uniform over tasks: a
 * bug of depth d shows at least as often as pct promises on these. */
static uint32_t everyone_conflicts(uint32_t task, uint32_t index)
{
    (void)task;
    (void)index;
    return 1;
}

/* Each of n tasks writes its own object but for one write to a shared one. Independent operations
 * keep their priorities, so that each of the n! orders of the shared writes is equally likely,
 * however many steps come before: the guarantee of the paper for partial orders. */
static uint32_t shared_last(uint32_t task, uint32_t index)
{
    return index == task * 2 ? 1 : 2 + task;
}

TEST(pos_samples_orders_of_conflicts_evenly)
{
    struct picking p = picking_new(1);
    const uint32_t runs = (uint32_t)test_count(20000, 200000);
    uint32_t first_of_task[3] = {0};
    for (uint32_t run = 0; run < runs; run++) {
        struct toy toy = {.task_count = 3, .lengths = {1, 1, 1}, .object = everyone_conflicts};
        toy_run(&toy, p.pick, &(struct pick_plan){.strategy = PICK_POS, .seed = run + 1});
        first_of_task[toy.order[0]]++;
    }
    for (uint32_t t = 0; t < 3; t++) {
        CHECK(first_of_task[t] > runs / 3 - runs / 50);
        CHECK(first_of_task[t] < runs / 3 + runs / 50);
    }
    picking_free(&p);
}

TEST(pos_reaches_every_order_of_shared_writes)
{
    struct picking p = picking_new(1);
    const uint32_t runs = 20000;
    uint32_t orders[6] = {0};
    for (uint32_t run = 0; run < runs; run++) {
        struct toy toy = {.task_count = 3, .lengths = {5, 5, 5}, .object = shared_last};
        toy_run(&toy, p.pick, &(struct pick_plan){.strategy = PICK_POS, .seed = run + 1});
        uint32_t done[3] = {0};
        uint32_t shared[3] = {0};
        uint32_t seen = 0;
        for (uint32_t i = 0; i < toy.step_count; i++) {
            const uint32_t task = toy.order[i];
            if (shared_last(task, done[task]++) == 1) {
                shared[seen++] = task;
            }
        }
        orders[shared[0] * 2 + (shared[1] > shared[2])]++;
    }
    /* With n tasks and k steps the rarest order has at least (1/n)^(n-1) or so. */
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(orders[i] > runs / 9 / 20);
    }
    picking_free(&p);
}

TEST(pos_finds_bugs_as_often_as_promised)
{
    static const struct depth_bug bugs[] = {{2, 6, 1}, {4, 6, 1}, {2, 4, 2}, {2, 4, 3}};
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        CHECK(rate(PICK_POS, &bugs[i], 20000) >= guarantee(&bugs[i], 20000));
    }
}

/* The number of an interleaving of two tasks with three steps each, as the bits of who moved. */
static uint32_t interleaving(const struct toy *toy)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < toy->step_count; i++) {
        bits = bits << 1 | toy->order[i];
    }
    return bits;
}

TEST(surw_samples_interleavings_of_independent_tasks_evenly)
{
    struct picking p = picking_new(1);
    const uint32_t runs = (uint32_t)test_count(40000, 400000);
    uint32_t seen[64] = {0};
    for (uint32_t run = 0; run <= runs; run++) {
        struct toy toy = {.task_count = 2, .lengths = {3, 3}};
        toy_run(&toy, p.pick, &(struct pick_plan){.strategy = PICK_SURW, .seed = run});
        /* The first run is the profile. */
        seen[interleaving(&toy)] += run > 0;
    }
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < 64; i++) {
        if (seen[i] > 0) {
            kinds++;
            CHECK(seen[i] > runs / 20 * 85 / 100);
            CHECK(seen[i] < runs / 20 * 115 / 100);
        }
    }
    CHECK_INT(kinds, 20);
    picking_free(&p);
}

/* Task 0 is much longer than task 1: random finds its end before task 1 moves almost never. */
TEST(surw_is_fair_to_tasks_of_different_length)
{
    struct picking p = picking_new(1);
    const uint32_t runs = 20000;
    uint32_t last = 0;
    for (uint32_t run = 0; run <= runs; run++) {
        struct toy toy = {.task_count = 2, .lengths = {9, 1}};
        toy_run(&toy, p.pick, &(struct pick_plan){.strategy = PICK_SURW, .seed = run});
        last += run > 0 && toy.order[9] == 1;
    }
    CHECK(last > runs / 10 * 85 / 100);
    CHECK(last < runs / 10 * 115 / 100);
    picking_free(&p);
}

/* A timer that is always set again, and a message: how many steps until the message comes. */
static uint32_t steps_beside_timer(struct pick *pick, uint64_t seed)
{
    enum { STEPS_MAX = 500 };
    const struct pick_plan plan = {.strategy = PICK_PCT, .depth = 1, .seed = seed};
    pick_begin(pick, &plan);
    uint32_t step = 0;
    for (; step < STEPS_MAX; step++) {
        const struct pick_operation pending[] = {
            {.name = 1, .task = 0, .kind = EVENT_RECV},
            {.name = 2 + step, .task = 1, .kind = EVENT_TIMER_FIRE},
        };
        if (pick_choose(pick, pending, 2) == 0) {
            break;
        }
    }
    pick_end(pick);
    return step;
}

TEST(a_timer_does_not_keep_pct_from_all_else)
{
    struct picking p = picking_new(1);
    uint32_t at_once = 0;
    uint32_t later = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const uint32_t steps = steps_beside_timer(p.pick, seed * 7919);
        CHECK(steps < 500);
        at_once += steps == 0;
        later += steps > 1;
    }
    CHECK(at_once > 60);
    CHECK(later > 20);
    picking_free(&p);
}

/* How often pct switches between two tasks in a run of so many steps. */
static uint32_t switches(struct pick *pick, const struct pick_plan *plan, uint32_t step_count)
{
    uint32_t count = 0;
    int last = -1;
    pick_begin(pick, plan);
    for (uint32_t step = 0; step < step_count; step++) {
        const struct pick_operation pending[] = {{.name = 2 * step + 1, .task = 0},
                                                 {.name = 2 * step + 2, .task = 1}};
        const int chosen = pick_choose(pick, pending, 2);
        count += last >= 0 && chosen != last;
        last = chosen;
    }
    pick_end(pick);
    return count;
}

/* Where choices are made at points alone, runs are shorter: pct lowers a task within them. */
TEST(pct_takes_the_length_of_runs_from_those_that_choose_at_the_same_points)
{
    struct picking p = picking_new(1);
    const uint64_t points[] = {1};
    struct pick_plan plan = {.strategy = PICK_PCT, .depth = 2, .seed = 1};
    uint32_t count = 0;
    (void)switches(p.pick, &plan, 400);
    plan.points = points;
    plan.point_count = 1;
    plan.points_number = 1;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        plan.seed = seed * 7919;
        count += switches(p.pick, &plan, 20);
    }
    CHECK(count > 150);
    picking_free(&p);
}
