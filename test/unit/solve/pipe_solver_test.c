#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"
#include "solve/solve.h"
#include "test.h"

/* A problem of two variables, x < y. */
static struct problem ordered_pair(void)
{
    struct problem p = {0};
    (void)problem_variables(&p, 2);
    problem_add(&p, solve_before(0, 1));
    return p;
}

static struct solve_answer answer_of(const char *command, uint64_t time_ns_max)
{
    struct problem p = ordered_pair();
    struct err e = {0};
    struct solver *s =
        solver_new(&(struct solver_options){.way = SOLVE_PROGRAM, .command = command}, &p, &e);
    if (s == NULL) {
        fail_msg("%s", e.text);
    }
    struct solve_answer answer;
    solver_decide(s, &(struct solve_question){.budget = {.time_ns_max = time_ns_max}}, &answer);
    if (answer.verdict == SOLVE_UNKNOWN && answer.cause == SOLVE_CAUSE_BROKEN) {
        struct solve_answer again;
        solver_decide(s, &(struct solve_question){0}, &again);
        CHECK_INT(again.verdict, SOLVE_UNKNOWN);
        CHECK_INT(again.cause, SOLVE_CAUSE_BROKEN);
        CHECK_TEXT(again.reason.text, answer.reason.text);
    }
    solver_free(s);
    problem_release(&p);
    return answer;
}

static void check_broken(const char *command, const char *part)
{
    const struct solve_answer answer = answer_of(command, 0);
    CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
    CHECK_INT(answer.cause, SOLVE_CAUSE_BROKEN);
    if (strstr(answer.reason.text, part) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", part, answer.reason.text);
    }
}

/* A solver of a few lines of shell: what it says to (check-sat) and to (get-value ...). */
#define SHELL_SOLVER(verdict, values)                                              \
    "sh -c 'while read -r line; do case $line in \"(check-sat)\") echo \"" verdict \
    "\" ;; \"(get-value\"*) echo \"" values                                        \
    "\" ;; \"(echo\"*) line=${line#*\\\"}; echo ${line%\\\"*} ;; esac; done'"

TEST(a_program_that_answers_is_believed_with_its_model)
{
    struct solve_answer answer = answer_of(SHELL_SOLVER("sat", "((x0 3) (x1 4))"), 0);
    CHECK_TEXT(answer.reason.text, "");
    CHECK_INT(answer.verdict, SOLVE_SAT);
    answer = answer_of(SHELL_SOLVER("unsat", ""), 0);
    CHECK_INT(answer.verdict, SOLVE_UNSAT);
    answer = answer_of(SHELL_SOLVER("unknown", ""), 0);
    CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
    CHECK_INT(answer.cause, SOLVE_CAUSE_BUDGET);
}

TEST(a_model_that_does_not_hold_is_not_believed)
{
    check_broken(SHELL_SOLVER("sat", "((x0 4) (x1 4))"), "do not satisfy");
    check_broken(SHELL_SOLVER("sat", "((x0 4))"), "do not satisfy");
    check_broken(SHELL_SOLVER("sat", "unsat"), "another verdict");
    check_broken(SHELL_SOLVER("((x0 3) (x1 4))", ""), "where a verdict was asked for");
}

TEST(a_program_that_dies_says_how)
{
    check_broken("sh -c 'exit 3'", "ended with status 3");
    check_broken("sh -c 'kill -9 $$'", "ended by signal 9");
    check_broken("sh -c 'echo no licence >&2; exit 1'", "no licence");
    check_broken("sh -c 'read -r line; exec <&-; echo gone >&2; exit 4'", "with status 4");
    check_broken("true", "ended with status 0");
    check_broken("sh -c 'exec >&-; sleep 100'", "ended by signal 9");
}

TEST(a_program_that_babbles_is_not_believed)
{
    check_broken("cat", "not an answer");
    check_broken("yes", "");
    check_broken("yes unsat", "");
    check_broken("sh -c 'echo sat; echo sat; cat'", "more than one answer");
    check_broken("sh -c 'echo \"(error \\\"out of cheese\\\")\"; cat'", "out of cheese");
    check_broken("head -c 1000000 /dev/zero", "");
    check_broken("sh -c 'yes \"(a\" | head -c 1000000'", "says more than any answer holds");
}

TEST(a_program_that_is_late_is_ended_and_started_again)
{
    struct problem p = ordered_pair();
    struct err e = {0};
    struct solver *s =
        solver_new(&(struct solver_options){.way = SOLVE_PROGRAM, .command = "sleep 1000"}, &p, &e);
    CHECK(s != NULL);
    for (int i = 0; i < 2; i++) {
        struct solve_answer answer;
        solver_decide(s, &(struct solve_question){.budget = {.time_ns_max = 1000000}}, &answer);
        CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
        CHECK_INT(answer.cause, SOLVE_CAUSE_BUDGET);
        CHECK(strstr(answer.reason.text, "did not answer in time") != NULL);
    }
    solver_free(s);
    problem_release(&p);
}

static void check_not_opened(const char *command, const char *part)
{
    const struct problem p = {0};
    struct err e = {0};
    CHECK(solver_new(&(struct solver_options){.way = SOLVE_PROGRAM, .command = command}, &p, &e) ==
          NULL);
    if (strstr(e.text, part) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", part, e.text);
    }
}

TEST(a_program_that_is_not_there_cannot_be_opened)
{
    check_not_opened("no-such-solver -in", "\"no-such-solver\": cannot be run: No such file");
    check_not_opened("/dev/null", "Permission denied");
    check_not_opened("", "is no command");
    check_not_opened(" \t\n", "is no command");
    check_not_opened("sh -c 'exit", "is no command");
    check_not_opened("sh -c \"exit", "is no command");
}

TEST(words_are_split_as_a_shell_does)
{
    check_broken("sh -c 'echo \"$0|$1|$2\" >&2; exit 9' a\\ b \"c 'd' \\\"e\" 'f \"g'\\''h'",
                 "a b|c 'd' \"e|f \"g'h");
    check_broken("sh -c 'echo \"$#\" >&2' zero '' \"\"", ": 2");
    check_broken("sh -c 'echo \"$1\" >&2' zero $HOME*", "$HOME*");
}

TEST(memory_is_bounded)
{
    struct problem p = ordered_pair();
    struct err e = {0};
    struct solver *s = solver_new(
        &(struct solver_options){.way = SOLVE_PROGRAM,
                                 .command = "sh -c 'read -r line; ulimit -v >&2; exit 1'",
                                 .bytes_max = 256 << 20},
        &p, &e);
    CHECK(s != NULL);
    struct solve_answer answer;
    solver_decide(s, &(struct solve_question){0}, &answer);
    CHECK(strstr(answer.reason.text, "262144") != NULL);
    solver_free(s);
    problem_release(&p);
}

static volatile sig_atomic_t pipe_signal_count;

static void on_pipe_signal(int number)
{
    (void)number;
    pipe_signal_count++;
}

TEST(a_program_that_stops_listening_raises_no_signal)
{
    void (*before)(int) = signal(SIGPIPE, on_pipe_signal);
    struct problem p = {0};
    (void)problem_variables(&p, 50000);
    for (uint32_t i = 0; i + 1 < 50000; i++) {
        problem_add(&p, solve_before(i, i + 1));
    }
    struct err e = {0};
    struct solver *s = solver_new(
        &(struct solver_options){.way = SOLVE_PROGRAM,
                                 .command = "sh -c 'read -r line; exec <&-; sleep 0.2; exit 5'"},
        &p, &e);
    CHECK(s != NULL);
    struct solve_answer answer;
    solver_decide(s, &(struct solve_question){0}, &answer);
    CHECK_INT(answer.verdict, SOLVE_UNKNOWN);
    CHECK(strstr(answer.reason.text, "ended with status 5") != NULL);
    CHECK_INT(pipe_signal_count, 0);
    (void)signal(SIGPIPE, before);
    solver_free(s);
    problem_release(&p);
}

static int solve_by_shell(void *context)
{
    (void)context;
    struct problem p = ordered_pair();
    struct err e = {0};
    struct solver *s =
        solver_new(&(struct solver_options){.way = SOLVE_PROGRAM,
                                            .command = SHELL_SOLVER("sat", "((x0 3) (x1 4))")},
                   &p, &e);
    int status = 0;
    if (s == NULL) {
        status = fault_told(&e);
    } else {
        struct solve_answer answer;
        solver_decide(s, &(struct solve_question){0}, &answer);
        must(answer.verdict != SOLVE_UNSAT);
        status = answer.verdict == SOLVE_SAT ? 0 : fault_told(&answer.reason);
        solver_free(s);
    }
    problem_release(&p);
    return status;
}

TEST(every_call_that_fails_is_told)
{
    CHECK(fault_sweep(&(struct fault_sweep){.run = solve_by_shell}) > 20);
}
