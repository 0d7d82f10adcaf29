#include "solve/pipe_solver.h"

#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/quoted_text.h"
#include "solve/incremental.h"
#include "solve/smtlib.h"
#include "solve/solver_process.h"

struct pipe_solver {
    const struct problem *problem;
    char *command;
    uint64_t bytes_max;
    bool is_broken;
    struct err reason;

    bool is_running;
    struct program program;
    bool has_logic; /* a logic was set ... */
    bool is_narrow; /* ... that of differences */
    struct follow follow;
    size_t scope_count;
    uint32_t variable_count; /* declared */
    uint64_t mark_count;

    struct out script;
    VEC(int64_t) model;
};

static int start(struct pipe_solver *s, struct err *e)
{
    const struct program_options options = {.command = s->command, .bytes_max = s->bytes_max};
    if (program_open(&s->program, &options, e) < 0) {
        return -1;
    }
    s->is_running = true;
    s->has_logic = false;
    s->is_narrow = false;
    follow_release(&s->follow);
    s->scope_count = 0;
    s->variable_count = 0;
    return 0;
}

static void stop(struct pipe_solver *s)
{
    if (s->is_running) {
        program_close(&s->program);
        s->is_running = false;
    }
}

struct pipe_solver *pipe_solver_new(const struct solver_options *options, const struct problem *p,
                                    struct err *e)
{
    must(options->command != NULL);
    struct pipe_solver *s = mem_zero(1, sizeof *s);
    s->problem = p;
    s->command = mem_text(options->command, strlen(options->command));
    s->bytes_max = options->bytes_max;
    out_open_memory(&s->script);
    if (start(s, e) < 0) {
        pipe_solver_free(s);
        return NULL;
    }
    return s;
}

void pipe_solver_free(struct pipe_solver *s)
{
    stop(s);
    out_abandon(&s->script);
    follow_release(&s->follow);
    vec_release(&s->model);
    mem_free(s->command);
    mem_free(s);
}

/* --- the script: commands not yet sent --- */

static void print_pops(struct pipe_solver *s, struct follow_step step)
{
    out_format(&s->script, "(pop %zu)\n", s->scope_count - step.depth);
    s->scope_count = step.depth;
    s->variable_count = step.variable_count;
}

static void print_changes(struct pipe_solver *s)
{
    for (;;) {
        const struct follow_step step = follow_next(&s->follow, s->problem);
        for (; s->variable_count < step.variable_count; s->variable_count++) {
            smtlib_print_declaration(&s->script, s->variable_count);
        }
        switch (step.kind) {
        case FOLLOW_POP: print_pops(s, step); break;
        case FOLLOW_PUSH:
            out_text(&s->script, "(push 1)\n");
            s->scope_count++;
            break;
        case FOLLOW_ADD:
            for (size_t i = step.first; i < step.end; i++) {
                smtlib_print_clause(&s->script, s->problem, s->problem->clauses.at[i]);
            }
            break;
        case FOLLOW_DONE: return;
        }
    }
}

static void print_question(struct pipe_solver *s, const struct solve_question *question)
{
    if (!s->has_logic) {
        s->has_logic = true;
        s->is_narrow = smtlib_is_difference(s->problem, question);
        out_text(&s->script, "(set-option :print-success false)\n"
                             "(set-option :produce-models true)\n");
        smtlib_print_logic(&s->script, s->is_narrow);
    }
    print_changes(s);
    out_text(&s->script, "(push 1)\n");
    for (size_t i = 0; i < question->assumed_count; i++) {
        out_text(&s->script, "(assert ");
        smtlib_print_atom(&s->script, s->problem, question->assumed[i]);
        out_text(&s->script, ")\n");
    }
    out_text(&s->script, "(check-sat)\n");
}

/* --- the answer --- */

static bool is_whole(void *context, const char *bytes, size_t size)
{
    return smtlib_scan(context, bytes, size);
}

/* Sends the script, if any, and waits for one reply, whose size is returned. */
static ssize_t hear(struct pipe_solver *s, struct err *e)
{
    struct smtlib_scan scan = {0};
    return program_hear(&s->program, is_whole, &scan, e) < 0 ? -1 : (ssize_t)scan.seen;
}

/* The mark that must follow each reply, so that surplus output is not taken for the answer to a
 * later question. Some programs print it with its quotes, some without. */
static bool is_mark(const char *bytes, size_t size, const char *mark)
{
    const size_t mark_size = strlen(mark);
    while (size > 0 && strchr(" \t\r\n", *bytes) != NULL) {
        bytes++;
        size--;
    }
    if (size == mark_size + 2 && bytes[0] == '"' && bytes[size - 1] == '"') {
        bytes++;
        size -= 2;
    }
    return size == mark_size && memcmp(bytes, mark, size) == 0;
}

/* Sends the script and reads the one reply to it. */
static int converse(struct pipe_solver *s, struct smtlib_reply *reply, struct err *e)
{
    char mark[32];
    s->mark_count++;
    (void)snprintf(mark, sizeof mark, "clew-%llu", (unsigned long long)s->mark_count);
    out_format(&s->script, "(echo \"%s\")\n", mark);
    program_say(&s->program, s->script.buffer, s->script.used);
    s->script.used = 0;

    ssize_t size = hear(s, e);
    if (size < 0 || smtlib_parse_reply(s->program.heard.at, (size_t)size, reply, e) < 0) {
        return -1;
    }
    program_take(&s->program, (size_t)size);
    size = hear(s, e);
    if (size < 0) {
        return -1;
    }
    if (!is_mark(s->program.heard.at, (size_t)size, mark)) {
        return err_set(e, "more than one answer: %s",
                       shown(s->program.heard.at, (size_t)size).text);
    }
    program_take(&s->program, (size_t)size);
    return 0;
}

static bool model_holds(const struct pipe_solver *s, const struct solve_question *question)
{
    bool holds = problem_check(s->problem, s->model.at) < 0;
    for (size_t i = 0; i < question->assumed_count && holds; i++) {
        holds = problem_atom_holds(s->problem, question->assumed[i], s->model.at);
    }
    return holds;
}

/* Requests the model after a sat reply, and checks it. */
static int read_model(struct pipe_solver *s, const struct solve_question *question, struct err *e)
{
    const uint32_t count = s->problem->variable_count;
    vec_clear(&s->model);
    vec_reserve(&s->model, (size_t)count + 1);
    while (s->model.count < count) {
        vec_push(&s->model, 0);
    }
    if (count > 0) {
        struct smtlib_reply reply = {.values = s->model.at, .value_count = count};
        smtlib_print_values(&s->script, count);
        if (converse(s, &reply, e) < 0) {
            return -1;
        }
        if (reply.kind != SMTLIB_VALUES) {
            return err_set(e, "no values, but another verdict came after \"sat\"");
        }
    }
    return model_holds(s, question) ? 0 : err_set(e, "its values do not satisfy the problem");
}

static int ask(struct pipe_solver *s, const struct solve_question *question,
               struct solve_answer *answer, struct err *e)
{
    struct smtlib_reply reply = {0};
    if (converse(s, &reply, e) < 0) {
        return -1;
    }
    switch (reply.kind) {
    case SMTLIB_SAT:
        if (read_model(s, question, e) < 0) {
            return -1;
        }
        answer->model = s->model.at;
        answer->verdict = SOLVE_SAT;
        break;
    case SMTLIB_UNSAT: answer->verdict = SOLVE_UNSAT; break;
    case SMTLIB_UNKNOWN:
        answer->cause = SOLVE_CAUSE_BUDGET;
        (void)err_set(&answer->reason, "%s: gave up", s->command);
        break;
    case SMTLIB_VALUES: return err_set(e, "values came where a verdict was asked for");
    }
    out_text(&s->script, "(pop 1)\n");
    return 0;
}

/* Starts the program if it is not running, or if the problem has outgrown its logic. */
static int be_ready(struct pipe_solver *s, const struct solve_question *question, struct err *e)
{
    if (s->is_running && s->is_narrow && !smtlib_is_difference(s->problem, question)) {
        stop(s);
    }
    s->script.used = s->is_running ? s->script.used : 0;
    return s->is_running ? 0 : start(s, e);
}

void pipe_solver_decide(struct pipe_solver *s, const struct solve_question *question,
                        struct solve_answer *answer)
{
    if (!s->is_broken) {
        struct err e = {0};
        const uint64_t time_max = question->budget.time_ns_max;
        const uint64_t deadline = time_max > 0 ? limit_now_ns() + time_max : 0;
        bool is_late = false;
        int done = be_ready(s, question, &e);
        if (done == 0) {
            /* An error, or a line for each variable: no answer is longer. */
            s->program.heard_max = 10000 + 100 * (size_t)s->problem->variable_count;
            s->program.deadline = deadline;
            print_question(s, question);
            done = ask(s, question, answer, &e);
            is_late = s->program.is_late;
        }
        if (done == 0) {
            return;
        }
        stop(s);
        (void)err_wrap(&e, "%s", s->command);
        answer->verdict = SOLVE_UNKNOWN;
        answer->cause = SOLVE_CAUSE_BUDGET;
        answer->reason = e;
        if (is_late) {
            return;
        }
        s->is_broken = true;
        s->reason = e;
    }
    answer->verdict = SOLVE_UNKNOWN;
    answer->cause = SOLVE_CAUSE_BROKEN;
    answer->reason = s->reason;
}
