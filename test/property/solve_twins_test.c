/* Every way to solve against the truth and against each other. */
#include "random_problem.h"
#include "solve/solve.h"
#include "test.h"

struct race_groups {
    uint64_t sat_count;
    uint64_t unsat_count;
};

static struct solver *open_solver(const struct solver_options *options, const struct problem *p)
{
    struct err e = {0};
    struct solver *s = solver_new(options, p, &e);
    if (s == NULL) {
        fail_msg("%s", e.text);
    }
    return s;
}

static const struct solver_options by_native = {.way = SOLVE_NATIVE};
static const struct solver_options by_libz3 = {.way = SOLVE_LIBZ3};
static const struct solver_options by_program = {.way = SOLVE_PROGRAM, .command = "z3 -in"};

/* Asks, checks a model, and returns the verdict, which must be known. */
static enum solve_verdict verdict_of(struct solver *s, const struct problem *p,
                                     const struct solve_question *question)
{
    struct solve_answer answer;
    solver_decide(s, question, &answer);
    if (answer.verdict == SOLVE_UNKNOWN) {
        fail_msg("not decided: %s", answer.reason.text);
    }
    if (answer.verdict == SOLVE_SAT) {
        CHECK_INT(problem_check(p, answer.model), -1);
        for (size_t i = 0; i < question->assumed_count; i++) {
            CHECK(problem_atom_holds(p, question->assumed[i], answer.model));
        }
    }
    return answer.verdict;
}

static void count_verdict(struct race_groups *groups, enum solve_verdict verdict)
{
    groups->sat_count += verdict == SOLVE_SAT;
    groups->unsat_count += verdict == SOLVE_UNSAT;
}

static void check_balance(struct race_groups groups)
{
    CHECK(groups.sat_count * 8 > groups.unsat_count);
    CHECK(groups.unsat_count * 8 > groups.sat_count);
}

/* A random question with up to two assumptions, kept in `assumed`. */
static struct solve_question random_question(struct problem *p, const struct random_problem *kind,
                                             struct prng *prng, struct solve_atom assumed[2])
{
    struct solve_question question = {.assumed = assumed, .assumed_count = prng_below(prng, 3)};
    for (size_t i = 0; i < question.assumed_count; i++) {
        assumed[i] = random_atom(p, kind, prng);
    }
    return question;
}

/* Asks the native solver several questions on each random problem; `reach` covers all values that a
 * solution may need. */
static void compare_with_truth(const struct random_problem *kind, int64_t reach, uint64_t seed,
                               uint64_t problem_count)
{
    struct prng prng;
    prng_init(&prng, seed);
    struct race_groups groups = {0};
    for (uint64_t i = 0; i < problem_count; i++) {
        struct problem p = {0};
        random_problem(&p, kind, &prng);
        struct solver *s = open_solver(&by_native, &p);
        for (int round = 0; round < 4; round++) {
            struct solve_atom assumed[2];
            const struct solve_question question = random_question(&p, kind, &prng, assumed);
            const enum solve_verdict got = verdict_of(s, &p, &question);
            const bool is_true =
                problem_is_satisfiable_slowly(&p, question.assumed, question.assumed_count, reach);
            CHECK_INT(got, is_true ? SOLVE_SAT : SOLVE_UNSAT);
            count_verdict(&groups, got);
        }
        solver_free(s);
        problem_release(&p);
    }
    check_balance(groups);
}

TEST(orders_of_up_to_five_are_decided_as_trying_all_does)
{
    compare_with_truth(&(struct random_problem){.variable_count_max = 5}, 2, 11,
                       test_count(400, 20000));
}

TEST(differences_of_up_to_three_are_decided_as_trying_all_does)
{
    /* Three variables and zero, bounds of up to 2 plus strictness: no simple path is longer than
     * 3 * 2. */
    compare_with_truth(
        &(struct random_problem){.variable_count_max = 3, .bound_max = 2, .has_zero = true}, 8, 12,
        test_count(300, 20000));
}

/* Two ways to solve one problem. */
struct twins {
    const struct solver_options *left;
    const struct solver_options *right;
};

/* One problem, changed at random; both solvers follow it. */
static void compare_on_one(struct twins twins, const struct random_problem *kind, struct prng *prng,
                           struct race_groups *groups)
{
    struct problem p = {0};
    random_problem(&p, kind, prng);
    struct solver *left = open_solver(twins.left, &p);
    struct solver *right = open_solver(twins.right, &p);
    for (int step = 0; step < 12; step++) {
        switch (prng_below(prng, 6)) {
        case 0: problem_push(&p); break;
        case 1:
            if (p.scopes.count > 0) {
                problem_pop(&p);
            }
            break;
        case 2:
            (void)problem_variables(&p, (uint32_t)prng_below(prng, 2));
            random_constraint(&p, kind, prng);
            break;
        default: {
            struct solve_atom assumed[2];
            const struct solve_question question = random_question(&p, kind, prng, assumed);
            const enum solve_verdict wanted = verdict_of(right, &p, &question);
            CHECK_INT(verdict_of(left, &p, &question), wanted);
            count_verdict(groups, wanted);
        }
        }
    }
    solver_free(left);
    solver_free(right);
    problem_release(&p);
}

static void compare(struct twins twins, const struct random_problem *kind, uint64_t seed,
                    uint64_t problem_count)
{
    struct prng prng;
    prng_init(&prng, seed);
    struct race_groups groups = {0};
    for (uint64_t i = 0; i < problem_count; i++) {
        compare_on_one(twins, kind, &prng, &groups);
    }
    check_balance(groups);
}

TEST(orders_are_decided_as_libz3_does_through_push_and_pop)
{
    compare((struct twins){&by_native, &by_libz3},
            &(struct random_problem){.variable_count_max = 12}, 21, test_count(300, 20000));
}

TEST(differences_are_decided_as_libz3_does_through_push_and_pop)
{
    compare((struct twins){&by_native, &by_libz3},
            &(struct random_problem){.variable_count_max = 10, .bound_max = 20, .has_zero = true},
            22, test_count(300, 20000));
}

static void need_program(void)
{
    const struct problem p = {0};
    struct err e = {0};
    struct solver *s = solver_new(&by_program, &p, &e);
    if (s == NULL) {
        print_message("# skipped: %s\n", e.text);
        skip();
    }
    solver_free(s);
}

TEST(a_program_decides_orders_as_the_native_solver_does)
{
    need_program();
    compare((struct twins){&by_program, &by_native},
            &(struct random_problem){.variable_count_max = 8}, 24, test_count(40, 1000));
}

TEST(a_program_decides_sums_as_libz3_does)
{
    need_program();
    compare((struct twins){&by_program, &by_libz3},
            &(struct random_problem){
                .variable_count_max = 4, .bound_max = 3, .has_zero = true, .has_sums = true},
            25, test_count(40, 1000));
}

TEST(sums_are_decided_by_libz3_as_trying_all_does)
{
    /* Every variable is kept within the values tried. */
    const struct random_problem kind = {
        .variable_count_max = 3, .bound_max = 3, .has_zero = true, .has_sums = true};
    struct prng prng;
    prng_init(&prng, 23);
    struct race_groups groups = {0};
    for (uint64_t i = 0; i < test_count(150, 5000); i++) {
        struct problem p = {0};
        random_problem(&p, &kind, &prng);
        for (uint32_t v = 0; v < p.variable_count; v++) {
            problem_add(&p, solve_at_most(v, 5));
            problem_add(&p, solve_at_least(v, -5));
        }
        struct solver *s = open_solver(&by_libz3, &p);
        const struct solve_atom assumed = random_atom(&p, &kind, &prng);
        for (size_t count = 0; count < 2; count++) {
            const struct solve_question question = {.assumed = &assumed, .assumed_count = count};
            const enum solve_verdict got = verdict_of(s, &p, &question);
            const bool is_true = problem_is_satisfiable_slowly(&p, &assumed, count, 5);
            CHECK_INT(got, is_true ? SOLVE_SAT : SOLVE_UNSAT);
            count_verdict(&groups, got);
        }
        solver_free(s);
        problem_release(&p);
    }
    check_balance(groups);
}
