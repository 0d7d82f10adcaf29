/* The three coverage scores, on an example worked out by hand. */
#include "picking.h"
#include "test.h"

/* Three actions, A B C, with these blocks in the seed run:
 *     A: block 0 ten times, block 1 once         unique 2, frequency 1.1
 *     B: block 2 once, block 3 once, 4 thrice    unique 3, frequency 2.33
 *     C: block 5 once, block 6 once, 7 once      unique 3, frequency 3                   */
enum { A = 1, B, C, D };

static const struct pick_block blocks_a[] = {{0, 10}, {1, 1}};
static const struct pick_block blocks_b[] = {{2, 1}, {3, 1}, {4, 3}};
static const struct pick_block blocks_c[] = {{5, 1}, {6, 1}, {7, 1}};

static struct pick_operation action(uint64_t which, uint16_t node)
{
    return (struct pick_operation){
        .name = which * 100 + node, .action = which, .task = (uint32_t)which, .node = node};
}

static void seed_run(struct pick *p, enum pick_strategy strategy)
{
    const struct pick_operation a = action(A, 0);
    const struct pick_operation b = action(B, 0);
    const struct pick_operation c = action(C, 0);
    pick_begin(p, &(struct pick_plan){.strategy = strategy});
    pick_learn(p, &a, blocks_a, 2);
    pick_learn(p, &b, blocks_b, 3);
    pick_learn(p, &c, blocks_c, 3);
    pick_end(p);
}

/* The action chosen among A, B and C after the seed run. */
static uint64_t first_choice(enum pick_strategy strategy)
{
    struct picking p = picking_new(16);
    seed_run(p.pick, strategy);
    const struct pick_operation pending[] = {action(A, 0), action(B, 0), action(C, 0)};
    pick_begin(p.pick, &(struct pick_plan){.strategy = strategy});
    const int chosen = pick_choose(p.pick, pending, 3);
    picking_free(&p);
    return pending[chosen].action;
}

TEST(unique_takes_the_most_new_blocks_the_first_of_equals)
{
    CHECK_INT(first_choice(PICK_UNIQUE), B);
}

TEST(frequency_discounts_blocks_that_are_executed_often)
{
    CHECK_INT(first_choice(PICK_FREQUENCY), C);
    CHECK_INT(first_choice(PICK_NODEFREQ), C);
}

TEST(without_gain_an_action_without_history_is_taken)
{
    struct picking p = picking_new(16);
    seed_run(p.pick, PICK_UNIQUE);
    const struct pick_operation c = action(C, 0);
    const struct pick_operation pending[] = {action(C, 0), action(D, 0)};
    pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_UNIQUE});
    CHECK_INT(pick_choose(p.pick, pending, 2), 0);
    pick_learn(p.pick, &c, blocks_c, 3);
    CHECK_INT(pick_choose(p.pick, pending, 2), 1);
    picking_free(&p);
}

/* All covered and all with history: what this run has not covered, along a new path. */
TEST(then_what_the_run_itself_has_not_covered)
{
    struct picking p = picking_new(16);
    seed_run(p.pick, PICK_UNIQUE);
    const struct pick_operation a = action(A, 0);
    const struct pick_operation b = action(B, 0);
    pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_UNIQUE});
    pick_learn(p.pick, &a, blocks_a, 2);
    pick_learn(p.pick, &b, blocks_b, 3);
    pick_end(p.pick);
    const struct pick_operation pending[] = {a, b};
    for (uint64_t seed = 0; seed < 5; seed++) {
        pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_UNIQUE, .seed = seed});
        const int first = pick_choose(p.pick, pending, 2);
        /* B gains 3 in the run, A gains 2; a path that was seen is left to the other. */
        CHECK_INT(first, seed == 0 ? 1 : seed == 1 ? 0 : first);
        pick_end(p.pick);
    }
    picking_free(&p);
}

/* Block 0 was executed three times on node 0: 1/3. Once more there gives 1/4, once on node 1 gives
 * 2/4, which is more. */
TEST(nodefreq_rewards_another_node_and_frequency_does_not)
{
    static const struct pick_block thrice = {0, 3};
    static const struct pick_block once = {0, 1};
    for (int i = 0; i < 2; i++) {
        const enum pick_strategy strategy = i == 0 ? PICK_NODEFREQ : PICK_FREQUENCY;
        struct picking p = picking_new(16);
        const struct pick_operation here = action(A, 0);
        const struct pick_operation there = action(B, 1);
        pick_begin(p.pick, &(struct pick_plan){.strategy = strategy});
        pick_learn(p.pick, &here, &once, 1);
        pick_learn(p.pick, &there, &once, 1);
        pick_end(p.pick);
        const struct pick_operation pending[] = {action(D, 0), here, there};
        pick_begin(p.pick, &(struct pick_plan){.strategy = strategy});
        pick_learn(p.pick, &here, &thrice, 1);
        pick_learn(p.pick, &here, &once, 1);
        /* The count is four now, on node 0. */
        const int chosen = pick_choose(p.pick, pending, 3);
        CHECK_INT(chosen, strategy == PICK_NODEFREQ ? 2 : 0);
        picking_free(&p);
    }
}

/* After four rounds on node 0 of the blocks 0 to 19, each four times: A enters three new blocks ten
 * times each, B two new ones once each, and C the twenty old ones on node 1.
 *     A: unique 3, frequency 0.3,           nodefreq 0.3
 *     B: unique 2, frequency 2,             nodefreq 2
 *     C: unique 0, frequency 20/5 - 20/4,   nodefreq 20 * (2/5 - 1/4) = 3 */
TEST(each_of_the_three_chooses_another_action)
{
    static const enum pick_strategy strategies[] = {PICK_UNIQUE, PICK_FREQUENCY, PICK_NODEFREQ};
    static const uint64_t wanted[] = {A, B, C};
    enum { OLD = 20 };
    const struct pick_block often[] = {{20, 10}, {21, 10}, {22, 10}};
    const struct pick_block once[] = {{23, 1}, {24, 1}};
    struct pick_block old[OLD];
    struct pick_block old_often[OLD];
    for (uint32_t i = 0; i < OLD; i++) {
        old[i] = (struct pick_block){i, 1};
        old_often[i] = (struct pick_block){i, 4};
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct picking p = picking_new(32);
        const struct pick_operation pending[] = {action(A, 0), action(B, 0), action(C, 1)};
        const struct pick_operation other = action(D, 0);
        pick_begin(p.pick, &(struct pick_plan){.strategy = strategies[i]});
        pick_learn(p.pick, &pending[0], often, 3);
        pick_learn(p.pick, &pending[1], once, 2);
        pick_learn(p.pick, &pending[2], old, OLD);
        pick_end(p.pick);
        pick_begin(p.pick, &(struct pick_plan){.strategy = strategies[i]});
        pick_learn(p.pick, &other, old_often, OLD);
        CHECK_INT(pending[pick_choose(p.pick, pending, 3)].action, wanted[i]);
        picking_free(&p);
    }
}

/* A did blocks 0 and 1 one after the other: its history has both. */
TEST(a_history_has_all_that_an_action_did)
{
    struct picking p = picking_new(16);
    const struct pick_operation pending[] = {action(B, 0), action(A, 0)};
    const struct pick_block two[] = {{0, 1}, {1, 1}};
    pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_UNIQUE});
    pick_learn(p.pick, &pending[1], &two[0], 1);
    pick_learn(p.pick, &pending[1], &two[1], 1);
    pick_learn(p.pick, &pending[0], &(struct pick_block){2, 1}, 1);
    pick_end(p.pick);
    pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_UNIQUE});
    CHECK_INT(pick_choose(p.pick, pending, 2), 1);
    picking_free(&p);
}

/* The task has entered two blocks by two operations; another operation of it is worth both. */
TEST(an_operation_is_the_turn_of_its_task)
{
    struct picking p = picking_new_by_task(16);
    const struct pick_block two[] = {{0, 1}, {1, 1}};
    struct pick_operation first = action(A, 0);
    struct pick_operation second = action(B, 0);
    first.task = 3;
    second.task = 3;
    struct pick_operation pending[] = {action(D, 0), action(C, 0)}; /* of tasks 4 and 3 */
    pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_UNIQUE});
    pick_learn(p.pick, &first, &two[0], 1);
    pick_learn(p.pick, &second, &two[1], 1);
    pick_learn(p.pick, &pending[0], &(struct pick_block){2, 1}, 1);
    pick_end(p.pick);
    pick_begin(p.pick, &(struct pick_plan){.strategy = PICK_UNIQUE});
    CHECK_INT(pick_choose(p.pick, pending, 2), 1);
    picking_free(&p);
}
