#include "test.h"

#include "solve/problem.h"

TEST(a_problem_without_variables_holds)
{
    struct problem p = {0};
    CHECK_INT(problem_check(&p, NULL), -1);
}

TEST(a_clause_without_atoms_never_holds)
{
    struct problem p = {0};
    problem_add_clause(&p, NULL, 0);
    CHECK_INT(problem_check(&p, NULL), 0);
    problem_release(&p);
}

TEST(check_names_the_first_clause_that_fails)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 3);
    problem_add(&p, solve_before(x, x + 1));
    problem_add_either(&p, solve_before(x + 2, x), solve_same(x + 1, x + 2));
    problem_add(&p, solve_not_after(x + 1, x + 2));
    CHECK_INT(problem_check(&p, (const int64_t[]){1, 2, 2}), -1);
    CHECK_INT(problem_check(&p, (const int64_t[]){1, 2, 3}), 1);
    CHECK_INT(problem_check(&p, (const int64_t[]){2, 3, 1}), 2);
    CHECK_INT(problem_check(&p, (const int64_t[]){2, 2, 2}), 0);
    problem_release(&p);
}

TEST(differences_do_not_overflow)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 2);
    problem_add(&p, solve_before(x, x + 1));
    CHECK_INT(problem_check(&p, (const int64_t[]){INT64_MAX, INT64_MIN}), 0);
    CHECK_INT(problem_check(&p, (const int64_t[]){INT64_MIN, INT64_MAX}), -1);
    problem_release(&p);
}

TEST(bounds_compare_with_zero)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 1);
    problem_add(&p, solve_at_least(x, -3));
    problem_add(&p, solve_at_most(x, 5));
    CHECK_INT(problem_check(&p, (const int64_t[]){-4}), 0);
    CHECK_INT(problem_check(&p, (const int64_t[]){-3}), -1);
    CHECK_INT(problem_check(&p, (const int64_t[]){6}), 1);
    problem_add(&p, solve_value(x, 2));
    CHECK_INT(problem_check(&p, (const int64_t[]){1}), 2);
    CHECK_INT(problem_check(&p, (const int64_t[]){2}), -1);
    problem_release(&p);
}

TEST(sums_weigh_their_terms)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 3);
    const struct solve_term terms[] = {{x, 2}, {x + 1, -3}, {x + 2, 1}};
    const struct solve_term against[] = {{x, -2}, {x + 1, 3}, {x + 2, -1}};
    problem_add(&p, problem_sum_at_most(&p, against, 3, -4));
    problem_add(&p, problem_sum_at_most(&p, terms, 3, 5));
    CHECK_INT(p.sum_count, 2);
    CHECK_INT(problem_check(&p, (const int64_t[]){2, 0, 0}), -1);
    CHECK_INT(problem_check(&p, (const int64_t[]){2, 0, 1}), -1);
    CHECK_INT(problem_check(&p, (const int64_t[]){0, 0, 3}), 0);
    CHECK_INT(problem_check(&p, (const int64_t[]){0, -2, 0}), 1);
    problem_release(&p);
}

TEST(a_sum_that_is_a_difference_becomes_one)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 3);
    const struct solve_term terms[] = {{x, -2}, {x + 1, 1}, {x + 2, -4}, {x, 1}, {x + 2, 4}};
    const struct solve_atom atom = problem_sum_at_most(&p, terms, 5, -7);
    CHECK_INT(atom.kind, SOLVE_DIFFERENCE);
    CHECK_INT(atom.left, x + 1);
    CHECK_INT(atom.right, x);
    CHECK_INT(atom.bound, -7);
    CHECK_INT(p.terms.count, 0);

    const struct solve_atom single = problem_sum_equal(&p, terms + 1, 1, 3);
    CHECK_INT(single.kind, SOLVE_EQUAL);
    CHECK_INT(single.left, x + 1);
    CHECK_INT(single.right, SOLVE_ZERO);

    const struct solve_atom two_of_a_sign =
        problem_sum_at_most(&p, (const struct solve_term[]){{x, 1}, {x + 1, 1}}, 2, 0);
    CHECK_INT(two_of_a_sign.kind, SOLVE_SUM);
    problem_release(&p);
}

TEST(pop_takes_back_what_came_since_push)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 2);
    problem_add(&p, solve_before(x, x + 1));
    problem_push(&p);
    const uint64_t first_id = vec_last(&p.scopes)->id;
    const uint32_t y = problem_variables(&p, 1);
    problem_add(
        &p, problem_sum_equal(&p, (const struct solve_term[]){{x, 1}, {x + 1, 1}, {y, 1}}, 3, 9));
    CHECK_INT(p.clauses.count, 2);
    problem_pop(&p);
    CHECK_INT(p.variable_count, 2);
    CHECK_INT(p.clauses.count, 1);
    CHECK_INT(p.literals.count, 1);
    CHECK_INT(p.terms.count, 0);
    CHECK_INT(p.sum_count, 0);
    problem_push(&p);
    CHECK(vec_last(&p.scopes)->id != first_id);
    problem_release(&p);
}
