#include "race/strict/solver_query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fault_injection.h"
#include "base/out.h"
#include "solve/smtlib.h"

enum {
    STEPS_DEFAULT = 1000000,
    CLAUSES_DEFAULT = 4000000, /* about a GB in a solver */
};

static enum solve_way way_of(enum race_via via)
{
    switch (via) {
    case RACE_VIA_ENGINE:
    case RACE_VIA_NATIVE: return SOLVE_NATIVE;
    case RACE_VIA_Z3: return SOLVE_LIBZ3;
    case RACE_VIA_PROGRAM: return SOLVE_PROGRAM;
    }
    bug("a way to solve");
}

int query_make_folder(const struct race_options *o, struct err *e)
{
    if (o->smtlib == NULL) {
        return 0;
    }
    const int made = seam_fails() ? seam_failure(ENOSPC) : mkdir(o->smtlib, 0777);
    struct stat there;
    if (made < 0 && errno == EEXIST && stat(o->smtlib, &there) == 0 && S_ISDIR(there.st_mode)) {
        return 0;
    }
    return made == 0 ? 0
                     : err_set(e, "%s: the folder cannot be made: %s", o->smtlib, strerror(errno));
}

/* One file per question, numbered in the order they are asked. */
static void write_question(struct query *q, const struct solve_question *question)
{
    char path[4096];
    struct out out;
    const int size = snprintf(path, sizeof path, "%s/%06llu.smt2", q->y->o->smtlib,
                              (unsigned long long)q->question_count);
    if (size < 0 || (size_t)size >= sizeof path) {
        (void)err_set(&q->failure, "%s: the path is too long", q->y->o->smtlib);
        q->has_failed = true;
    } else if (out_open(&out, path, &q->failure) < 0) {
        q->has_failed = true;
    } else {
        smtlib_print(&out, &q->formula.p, question, NULL);
        q->has_failed = out_close(&out, &q->failure) < 0;
    }
}

int query_written(const struct query *q, struct err *e)
{
    if (q->has_failed) {
        *e = q->failure;
        return -1;
    }
    return 0;
}

/* Remembers why the first question was left open. */
static void leave_open(struct query *q, const struct err *reason)
{
    if (q->y->stats->silence.text[0] == '\0') {
        q->y->stats->silence = *reason;
    }
}

int query_open(struct query *q, const struct hb *hb, struct race_groups *y, struct arena *a,
               struct err *e)
{
    *q = (struct query){.y = y};
    const struct formula_bounds bounds = {.clause_max = y->o->clause_max != 0 ? y->o->clause_max
                                                                              : CLAUSES_DEFAULT,
                                          .watch = &y->watch};
    const bool is_whole = formula_build(&q->formula, hb, &bounds, a);
    q->y->stats->constraints = q->formula.p.clauses.count;
    if (!is_whole) {
        if (!y->watch.is_over) {
            struct err reason;
            (void)err_set(&reason, "the rules are more than %llu clauses",
                          (unsigned long long)bounds.clause_max);
            leave_open(q, &reason);
        }
        formula_release(&q->formula);
        return 0;
    }
    const struct solver_options options = {.way = way_of(q->y->o->via),
                                           .command = q->y->o->command};
    q->solver = solver_new(&options, &q->formula.p, e);
    if (q->solver == NULL) {
        query_close(q);
        return -1;
    }
    return 0;
}

void query_serve(struct query *q, struct race_groups *y)
{
    q->y = y;
}

void query_close(struct query *q)
{
    if (q->solver != NULL) {
        solver_free(q->solver);
    }
    formula_release(&q->formula);
    *q = (struct query){0};
}

static enum race_verdict ask(struct query *q, const struct solve_atom *atoms, size_t count)
{
    if (limit_is_over(&q->y->watch, LIMIT_STEPS)) {
        return RACE_UNKNOWN;
    }
    const uint64_t time_ns =
        q->y->o->budget == NULL ? UINT64_MAX : limit_time_left_ns(q->y->o->budget);
    const struct solve_question question = {
        .assumed = atoms,
        .assumed_count = count,
        .budget = {.step_count_max = q->y->o->step_max != 0 ? q->y->o->step_max : STEPS_DEFAULT,
                   .time_ns_max = time_ns == UINT64_MAX ? 0 : time_ns + 1},
    };
    struct solve_answer answer;
    q->question_count++;
    if (q->y->o->smtlib != NULL && !q->has_failed) {
        write_question(q, &question);
    }
    solver_decide(q->solver, &question, &answer);
    switch (answer.verdict) {
    case SOLVE_UNKNOWN: leave_open(q, &answer.reason); return RACE_UNKNOWN;
    case SOLVE_SAT: return RACE_YES;
    case SOLVE_UNSAT: return RACE_NO;
    }
    bug("verdict of a solver");
}

enum race_verdict query_any(struct query *q)
{
    return query_can_answer(q) ? ask(q, NULL, 0) : RACE_UNKNOWN;
}

enum race_verdict query_adjacent(struct query *q, event_id a, event_id b)
{
    struct solve_atom atoms[FORMULA_ATOMS_MAX];
    return query_can_answer(q) ? ask(q, atoms, formula_adjacent(&q->formula, a, b, atoms))
                               : RACE_UNKNOWN;
}

enum race_verdict query_before(struct query *q, event_id a, event_id b)
{
    struct solve_atom atoms[FORMULA_ATOMS_MAX];
    return query_can_answer(q) ? ask(q, atoms, formula_before(&q->formula, a, b, atoms))
                               : RACE_UNKNOWN;
}

static enum race_verdict judge_data(void *self, event_id a, event_id b)
{
    struct query *q = self;
    q->y->stats->asked++;
    return query_adjacent(q, a, b);
}

static enum race_verdict judge_message(void *self, event_id send, event_id receive)
{
    struct query *q = self;
    q->y->stats->asked++;
    return query_before(q, send, receive);
}

struct judge query_judge(struct query *q)
{
    return (struct judge){.data = judge_data, .message = judge_message, .self = q};
}
