#include "solve/solve.h"

#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"
#include "test.h"

static struct solver *open_solver(enum solve_way way, const struct problem *p)
{
    struct err e = {0};
    struct solver *s = solver_new(&(struct solver_options){.way = way}, p, &e);
    if (s == NULL) {
        fail_msg("%s", e.text);
    }
    return s;
}

static enum solve_verdict verdict_under(struct solver *s, const struct solve_atom *assumed,
                                        size_t count)
{
    struct solve_answer answer;
    solver_decide(s, &(struct solve_question){.assumed = assumed, .assumed_count = count}, &answer);
    return answer.verdict;
}

static enum solve_verdict verdict_of(struct solver *s)
{
    return verdict_under(s, NULL, 0);
}

/* `count` events in count - 1 moments, no two at once: unsatisfiable, and hard to see. */
static struct problem crowded(uint32_t count)
{
    struct problem p = {0};
    (void)problem_variables(&p, count);
    for (uint32_t i = 0; i < count; i++) {
        problem_add(&p, solve_at_least(i, 1));
        problem_add(&p, solve_at_most(i, count - 1));
        for (uint32_t j = 0; j < i; j++) {
            problem_add_either(&p, solve_before(i, j), solve_before(j, i));
        }
    }
    return p;
}

static const enum solve_way ways[] = {SOLVE_NATIVE, SOLVE_LIBZ3};

TEST(sections_of_one_lock_do_not_overlap)
{
    struct problem p = {0};
    const uint32_t l1 = problem_variables(&p, 6), a = l1 + 1, u1 = l1 + 2;
    const uint32_t l2 = l1 + 3, b = l1 + 4, u2 = l1 + 5;
    problem_add(&p, solve_before(l1, a));
    problem_add(&p, solve_before(a, u1));
    problem_add(&p, solve_before(l2, b));
    problem_add(&p, solve_before(b, u2));
    const struct solve_atom race = solve_same(a, b);
    for (size_t i = 0; i < 2; i++) {
        struct solver *s = open_solver(ways[i], &p);
        CHECK_INT(verdict_under(s, &race, 1), SOLVE_SAT);
        problem_push(&p);
        problem_add_either(&p, solve_before(u1, l2), solve_before(u2, l1));
        CHECK_INT(verdict_under(s, &race, 1), SOLVE_UNSAT);
        CHECK_INT(verdict_of(s), SOLVE_SAT);
        problem_pop(&p);
        CHECK_INT(verdict_under(s, &race, 1), SOLVE_SAT);
        solver_free(s);
    }
    problem_release(&p);
}

TEST(problems_without_constraints_or_with_a_false_one_are_decided)
{
    for (size_t i = 0; i < 2; i++) {
        struct problem p = {0};
        struct solver *s = open_solver(ways[i], &p);
        CHECK_INT(verdict_of(s), SOLVE_SAT);
        (void)problem_variables(&p, 2);
        CHECK_INT(verdict_of(s), SOLVE_SAT);
        problem_push(&p);
        problem_add_clause(&p, NULL, 0);
        CHECK_INT(verdict_of(s), SOLVE_UNSAT);
        problem_pop(&p);
        CHECK_INT(verdict_of(s), SOLVE_SAT);
        problem_add(&p, solve_before(1, 1));
        CHECK_INT(verdict_of(s), SOLVE_UNSAT);
        solver_free(s);
        problem_release(&p);
    }
}

TEST(a_contradiction_ends_with_its_scope)
{
    struct problem p = {0};
    (void)problem_variables(&p, 3);
    problem_add(&p, solve_before(0, 1));
    struct solver *s = open_solver(SOLVE_NATIVE, &p);
    CHECK_INT(verdict_of(s), SOLVE_SAT);
    problem_push(&p);
    problem_add(&p, solve_before(1, 2));
    problem_push(&p);
    problem_add(&p, solve_before(2, 0));
    problem_push(&p);
    CHECK_INT(verdict_of(s), SOLVE_UNSAT);
    problem_add(&p, solve_before(0, 2));
    CHECK_INT(verdict_of(s), SOLVE_UNSAT);
    problem_pop(&p);
    CHECK_INT(verdict_of(s), SOLVE_UNSAT);
    problem_pop(&p);
    CHECK_INT(verdict_of(s), SOLVE_SAT);
    const struct solve_atom back = solve_before(2, 0);
    CHECK_INT(verdict_under(s, &back, 1), SOLVE_UNSAT);
    problem_pop(&p);
    CHECK_INT(verdict_under(s, &back, 1), SOLVE_SAT);
    solver_free(s);
    problem_release(&p);
}

TEST(the_native_solver_does_not_guess_about_sums)
{
    struct problem p = {0};
    (void)problem_variables(&p, 2);
    const struct solve_atom sum =
        problem_sum_at_most(&p, (const struct solve_term[]){{0, 1}, {1, 1}}, 2, 0);
    struct solver *s = open_solver(SOLVE_NATIVE, &p);
    struct solve_answer answer;
    solver_decide(s, &(struct solve_question){.assumed = &sum, .assumed_count = 1}, &answer);
    CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
    CHECK_INT(answer.cause, SOLVE_CAUSE_UNSUPPORTED);
    CHECK(strstr(answer.reason.text, "sums") != NULL);
    CHECK_INT(verdict_of(s), SOLVE_SAT);
    problem_push(&p);
    problem_add(&p, sum);
    CHECK_INT(verdict_of(s), SOLVE_UNKNOWN);
    problem_pop(&p);
    CHECK_INT(verdict_of(s), SOLVE_SAT);
    solver_free(s);
    problem_release(&p);
}

TEST(bounds_that_could_overflow_are_refused_by_the_native_solver_alone)
{
    const int64_t bounds[] = {INT64_MIN, INT64_MAX, INT64_C(1) << 60, -(INT64_C(1) << 60)};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        struct problem p = {0};
        (void)problem_variables(&p, 2);
        problem_add(&p, solve_within(0, 1, bounds[i]));
        struct solver *s = open_solver(SOLVE_NATIVE, &p);
        struct solve_answer answer;
        solver_decide(s, &(struct solve_question){0}, &answer);
        CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
        CHECK_INT(answer.cause, SOLVE_CAUSE_UNSUPPORTED);
        CHECK(strstr(answer.reason.text, "too large") != NULL);
        solver_free(s);
        s = open_solver(SOLVE_LIBZ3, &p);
        solver_decide(s, &(struct solve_question){0}, &answer);
        /* Its solution of the first takes more than 64 bits. */
        CHECK_INT(answer.verdict, bounds[i] == INT64_MIN ? SOLVE_UNKNOWN : SOLVE_SAT);
        CHECK(answer.cause != SOLVE_CAUSE_BROKEN);
        solver_free(s);
        problem_release(&p);
    }
}

TEST(values_that_drift_up_are_chosen_anew)
{
    /* Each question raises one variable far over the other, and is refuted before the choice
     * between the last two is made, so there are no values to go back to. */
    const int64_t step = INT64_C(1) << 57;
    struct problem p = {0};
    (void)problem_variables(&p, 5);
    problem_add_either(&p, solve_within(3, 4, -step), solve_within(4, 3, -step));
    problem_add(&p, solve_before(2, 0));
    struct solver *s = open_solver(SOLVE_NATIVE, &p);
    const struct solve_atom impossible = solve_before(0, 2);
    for (int i = 0; i < 200; i++) {
        const struct solve_atom assumed[2] = {
            i % 2 == 0 ? solve_within(0, 1, -step) : solve_within(1, 0, -step), impossible};
        CHECK_INT(verdict_under(s, assumed, 2), SOLVE_UNSAT);
    }
    for (int i = 0; i < 200; i++) {
        const struct solve_atom assumed =
            i % 2 == 0 ? solve_within(0, 1, -step) : solve_within(1, 0, -step);
        CHECK_INT(verdict_under(s, &assumed, 1), SOLVE_SAT);
    }
    solver_free(s);
    problem_release(&p);
}

TEST(a_crowd_does_not_fit)
{
    for (size_t i = 0; i < 2; i++) {
        struct problem p = crowded(6);
        struct solver *s = open_solver(ways[i], &p);
        CHECK_INT(verdict_of(s), SOLVE_UNSAT);
        solver_free(s);
        problem_release(&p);
    }
}

TEST(learnt_clauses_are_forgotten_and_the_verdict_stays)
{
    struct problem p = crowded(8);
    struct solver *s = open_solver(SOLVE_NATIVE, &p);
    struct solve_answer answer;
    solver_decide(s, &(struct solve_question){0}, &answer);
    CHECK_INT(answer.verdict, SOLVE_UNSAT);
    solver_free(s);
    problem_release(&p);
}

TEST(steps_end_and_more_of_them_suffice)
{
    for (size_t i = 0; i < 2; i++) {
        struct problem p = crowded(7);
        struct solver *s = open_solver(ways[i], &p);
        struct solve_question question = {.budget = {.step_count_max = 1000}};
        struct solve_answer answer;
        solver_decide(s, &question, &answer);
        CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
        CHECK_INT(answer.cause, SOLVE_CAUSE_BUDGET);
        CHECK(answer.reason.text[0] != '\0');
        question.budget.step_count_max = 0;
        solver_decide(s, &question, &answer);
        CHECK_INT(answer.verdict, SOLVE_UNSAT);
        solver_free(s);
        problem_release(&p);
    }
}

TEST(time_ends)
{
    for (size_t i = 0; i < 2; i++) {
        struct problem p = crowded(40);
        struct solver *s = open_solver(ways[i], &p);
        struct solve_answer answer;
        solver_decide(s, &(struct solve_question){.budget = {.time_ns_max = 20000000}}, &answer);
        CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
        CHECK_INT(answer.cause, SOLVE_CAUSE_BUDGET);
        problem_push(&p);
        problem_add(&p, solve_before(0, 0));
        CHECK_INT(verdict_of(s), SOLVE_UNSAT);
        solver_free(s);
        problem_release(&p);
    }
}

static int solve_by_libz3(void *context)
{
    (void)context;
    struct problem p = {0};
    (void)problem_variables(&p, 3);
    problem_add(&p, solve_before(2, 1));
    problem_add_either(&p, solve_before(0, 2), solve_before(1, 0));
    struct err e = {0};
    struct solver *s = solver_new(&(struct solver_options){.way = SOLVE_LIBZ3}, &p, &e);
    int status = 0;
    if (s == NULL) {
        status = fault_told(&e);
    } else {
        struct solve_answer answer;
        const struct solve_atom assumed = solve_before(2, 0);
        solver_decide(s, &(struct solve_question){.assumed = &assumed, .assumed_count = 1},
                      &answer);
        must(answer.verdict != SOLVE_UNSAT);
        status = answer.verdict == SOLVE_SAT ? 0 : fault_told(&answer.reason);
        solver_free(s);
    }
    problem_release(&p);
    return status;
}

TEST(every_call_that_fails_is_told_by_libz3)
{
    CHECK(fault_sweep(&(struct fault_sweep){.run = solve_by_libz3}) > 10);
}

/* What libz3 says of a long chain when it may have so much memory, in a process of its own because
 * the limit is that of the whole library. */
static void check_without_memory(uint64_t bytes_max)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct problem p = {0};
        (void)problem_variables(&p, 20000);
        for (uint32_t i = 0; i + 1 < p.variable_count; i++) {
            problem_add(&p, solve_before(i, i + 1));
        }
        struct err e = {0};
        struct solver *s = solver_new(
            &(struct solver_options){.way = SOLVE_LIBZ3, .bytes_max = bytes_max}, &p, &e);
        struct solve_answer answer = {.verdict = SOLVE_UNKNOWN};
        if (s != NULL) {
            solver_decide(s, &(struct solve_question){0}, &answer);
        }
        _exit(answer.verdict == SOLVE_UNKNOWN ? 7 : 8);
    }
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 7);
}

TEST(libz3_without_memory_is_no_verdict)
{
    check_without_memory(UINT64_C(2000000));
    check_without_memory(UINT64_C(30000000));
}
