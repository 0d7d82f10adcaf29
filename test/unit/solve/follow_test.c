#include "solve/incremental.h"

#include "test.h"

static void check_step(struct follow *f, const struct problem *p, struct follow_step wanted)
{
    const struct follow_step got = follow_next(f, p);
    CHECK_INT(got.kind, wanted.kind);
    CHECK_INT(got.variable_count, wanted.variable_count);
    if (got.kind == FOLLOW_ADD) {
        CHECK_INT(got.first, wanted.first);
        CHECK_INT(got.end, wanted.end);
    } else if (got.kind != FOLLOW_DONE) {
        CHECK_INT(got.depth, wanted.depth);
    }
}

#define CHECK_STEP(...) check_step(&f, &p, (struct follow_step){__VA_ARGS__})

TEST(what_was_added_and_popped_since_is_told_in_order)
{
    struct problem p = {0};
    struct follow f = {0};
    CHECK_STEP(.kind = FOLLOW_DONE);
    (void)problem_variables(&p, 2);
    problem_add(&p, solve_before(0, 1));
    problem_push(&p);
    problem_push(&p);
    (void)problem_variables(&p, 1);
    problem_add(&p, solve_before(1, 2));
    CHECK_STEP(.kind = FOLLOW_ADD, .variable_count = 2, .first = 0, .end = 1);
    CHECK_STEP(.kind = FOLLOW_PUSH, .variable_count = 2, .depth = 0);
    CHECK_STEP(.kind = FOLLOW_PUSH, .variable_count = 2, .depth = 1);
    CHECK_STEP(.kind = FOLLOW_ADD, .variable_count = 3, .first = 1, .end = 2);
    CHECK_STEP(.kind = FOLLOW_DONE, .variable_count = 3);
    problem_add(&p, solve_before(0, 2));
    CHECK_STEP(.kind = FOLLOW_ADD, .variable_count = 3, .first = 2, .end = 3);
    CHECK_STEP(.kind = FOLLOW_DONE, .variable_count = 3);

    problem_pop(&p);
    problem_pop(&p);
    problem_push(&p);
    problem_add(&p, solve_before(1, 0));
    CHECK_STEP(.kind = FOLLOW_POP, .variable_count = 2, .depth = 0);
    CHECK_STEP(.kind = FOLLOW_PUSH, .variable_count = 2, .depth = 0);
    CHECK_STEP(.kind = FOLLOW_ADD, .variable_count = 2, .first = 1, .end = 2);
    CHECK_STEP(.kind = FOLLOW_DONE, .variable_count = 2);
    follow_release(&f);
    problem_release(&p);
}

TEST(scopes_that_came_and_went_between_questions_leave_no_trace)
{
    struct problem p = {0};
    struct follow f = {0};
    problem_push(&p);
    (void)problem_variables(&p, 2);
    problem_add(&p, solve_before(0, 1));
    problem_pop(&p);
    CHECK_STEP(.kind = FOLLOW_DONE);
    follow_release(&f);
    problem_release(&p);
}
