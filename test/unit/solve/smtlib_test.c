#include "solve/smtlib.h"

#include "test.h"

static void check_printed(const struct problem *p, const struct solve_question *question,
                          const char *const *names, const char *wanted)
{
    struct out o;
    out_open_memory(&o);
    smtlib_print(&o, p, question, names);
    out_char(&o, '\0');
    CHECK_TEXT(o.buffer, wanted);
    out_abandon(&o);
}

TEST(an_order_is_printed_in_difference_logic)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 4);
    problem_add(&p, solve_before(x, x + 1));
    problem_add(&p, solve_not_after(x + 2, x + 3));
    problem_add(&p, solve_within(x + 2, x, -7));
    problem_add_either(&p, solve_before(x + 1, x + 2), solve_before(x + 3, x));
    problem_add_clause(&p, NULL, 0);
    const struct solve_atom assumed = solve_same(x, x + 3);
    const char *const names[] = {"main: write \"x\"", NULL, "a\nb\xff", NULL};
    check_printed(&p, &(struct solve_question){.assumed = &assumed, .assumed_count = 1}, names,
                  "(set-logic QF_IDL)\n"
                  "; main: write \"x\"\n"
                  "(declare-fun x0 () Int)\n"
                  "(declare-fun x1 () Int)\n"
                  "; a?b?\n"
                  "(declare-fun x2 () Int)\n"
                  "(declare-fun x3 () Int)\n"
                  "(assert (< x0 x1))\n"
                  "(assert (<= x2 x3))\n"
                  "(assert (<= (- x2 x0) (- 7)))\n"
                  "(assert (or (< x1 x2) (< x3 x0)))\n"
                  "(assert false)\n"
                  "; assumed\n"
                  "(assert (= x0 x3))\n"
                  "(check-sat)\n"
                  "(get-value (x0 x1 x2 x3))\n");
    problem_release(&p);
}

TEST(bounds_and_sums_are_printed_in_linear_arithmetic)
{
    struct problem p = {0};
    const uint32_t x = problem_variables(&p, 2);
    const struct solve_term terms[] = {{x, 2}, {x + 1, -3}};
    problem_add(&p, solve_at_most(x, 5));
    problem_add(&p, solve_at_least(x + 1, 5));
    problem_add(&p, solve_value(x, INT64_MIN + 1));
    problem_add(&p, problem_sum_at_most(&p, terms, 2, 4));
    problem_add(&p, problem_sum_equal(&p, terms, 1, 8));
    problem_add(&p, problem_sum_at_most(&p, NULL, 0, 3));
    check_printed(&p, &(struct solve_question){0}, NULL,
                  "(set-logic QF_LIA)\n"
                  "(declare-fun x0 () Int)\n"
                  "(declare-fun x1 () Int)\n"
                  "(assert (<= x0 5))\n"
                  "(assert (<= (- x1) (- 5)))\n"
                  "(assert (= x0 (- 9223372036854775807)))\n"
                  "(assert (<= (+ (* 2 x0) (* (- 3) x1)) 4))\n"
                  "(assert (= (* 2 x0) 8))\n"
                  "(assert (<= 0 3))\n"
                  "(check-sat)\n"
                  "(get-value (x0 x1))\n");
    problem_release(&p);
}

TEST(an_empty_problem_asks_for_no_values)
{
    const struct problem p = {0};
    check_printed(&p, &(struct solve_question){0}, NULL, "(set-logic QF_IDL)\n(check-sat)\n");
}

/* The size of the first whole reply in the text, fed a byte at a time; 0 when there is none. */
static size_t reply_size(const char *text)
{
    struct smtlib_scan scan = {0};
    for (size_t size = 0; size <= strlen(text); size++) {
        if (smtlib_scan(&scan, text, size)) {
            return scan.seen;
        }
    }
    return 0;
}

TEST(a_reply_ends_where_its_word_or_list_ends)
{
    CHECK_INT(reply_size("sat\nunsat\n"), 3);
    CHECK_INT(reply_size("sat"), 0);
    CHECK_INT(reply_size(" \n unsat "), 8);
    CHECK_INT(reply_size("((x0 1)\n (x1 2))\nsat"), 16);
    CHECK_INT(reply_size("((x0 1)"), 0);
    CHECK_INT(reply_size("(a \")\" |)| ; )\n b)c"), 18);
    CHECK_INT(reply_size("; sat\nunknown\n"), 13);
    CHECK_INT(reply_size("\"a mark\"\n"), 8);
    CHECK_INT(reply_size(") sat"), 1);
    CHECK_INT(reply_size(""), 0);
}

static int64_t values[3];

static int parse(const char *text, enum smtlib_reply_kind *kind, struct err *e)
{
    values[0] = values[1] = values[2] = 77;
    struct smtlib_reply reply = {.values = values, .value_count = 3};
    const int done = smtlib_parse_reply(text, strlen(text), &reply, e);
    *kind = reply.kind;
    return done;
}

static void check_verdict(const char *text, enum smtlib_reply_kind wanted)
{
    struct err e = {0};
    enum smtlib_reply_kind kind = SMTLIB_VALUES;
    CHECK_INT(parse(text, &kind, &e), 0);
    CHECK_INT(kind, wanted);
}

static void check_values(const char *text, int64_t x0, int64_t x1, int64_t x2)
{
    struct err e = {0};
    enum smtlib_reply_kind kind = SMTLIB_SAT;
    if (parse(text, &kind, &e) < 0) {
        fail_msg("%s", e.text);
    }
    CHECK_INT(kind, SMTLIB_VALUES);
    CHECK(values[0] == x0);
    CHECK(values[1] == x1);
    CHECK(values[2] == x2);
}

static void check_refused(const char *text, const char *part)
{
    struct err e = {0};
    enum smtlib_reply_kind kind = SMTLIB_SAT;
    CHECK_INT(parse(text, &kind, &e), -1);
    if (strstr(e.text, part) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", part, e.text);
    }
}

TEST(verdicts_are_read)
{
    check_verdict("sat", SMTLIB_SAT);
    check_verdict("  unsat\n", SMTLIB_UNSAT);
    check_verdict("; thinking\nunknown", SMTLIB_UNKNOWN);
}

TEST(values_are_read)
{
    check_values("((x0 1) (x1 (- 5)) (x2 0))", 1, -5, 0);
    check_values("((x1 -5)\n\t(|x2| 3))", 77, -5, 3);
    check_values("((x0 9223372036854775807) (x1 (- 9223372036854775808)))", INT64_MAX, INT64_MIN,
                 77);
    check_values("()", 77, 77, 77);
    check_values("((x3 4) (y (f 1 2)) ((+ x0 x1) 7) (x00 9) (x 1))", 77, 77, 77);
}

TEST(models_are_read)
{
    check_values("(\n  (define-fun x1 () Int\n    (- 2))\n  (define-fun x0 () Int 4)\n)", 4, -2,
                 77);
    check_values("(model (define-fun x2 () Int 8) (define-fun k ((a Int)) Int (ite (= a 1) 2 3)))",
                 77, 77, 8);
}

TEST(everything_else_is_refused)
{
    check_refused("", "not an answer");
    check_refused("satisfiable", "not an answer");
    check_refused("sat unsat", "more than one word");
    check_refused("(error \"line 3: unknown constant x9\")", "unknown constant x9");
    check_refused("(error)", "the solver says");
    check_refused("((x0 1)", "not an answer");
    check_refused("((x0 1)) sat", "not an answer");
    check_refused("((x0 9223372036854775808))", "not an answer");
    check_refused("((x0 (- 9223372036854775809)))", "not an answer");
    check_refused("((x0 99999999999999999999))", "not an answer");
    check_refused("((x0 1.5))", "not an answer");
    check_refused("((x0 true))", "not an answer");
    check_refused("((x0 (- (- 1))))", "not an answer");
    check_refused("((x0 (+ 1)))", "not an answer");
    check_refused("((x0))", "not an answer");
    check_refused("((x0 1 2))", "not an answer");
    check_refused("(x0 1)", "not an answer");
    check_refused("((define-fun x0 () Int))", "not an answer");
    check_refused("((x0 \"1\"))", "not an answer");
    check_refused("((|x0 1))", "not an answer");
    check_refused("\"sat\"", "not an answer");
    check_refused("success", "not an answer");
    check_refused("sa\x01t\x1b[31m", "sa?t?[31m");
}
