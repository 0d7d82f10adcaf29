/* Solvers: decide whether a problem has a solution. One interface, three implementations.
 *
 *     struct solver *s = solver_new(&(struct solver_options){.way = SOLVE_NATIVE}, &p, e);
 *     const struct solve_atom race = solve_same(a, b);
 *     struct solve_question question = {.assumed = &race, .assumed_count = 1};
 *     struct solve_answer answer;
 *     solver_decide(s, &question, &answer);
 *     if (answer.verdict == SOLVE_SAT) { ... answer.model[a] ... }
 *     solver_free(s);
 *
 * A solver follows its problem incrementally: the next question includes constraints added and
 * scopes popped since the last one, and learnt clauses are kept. So one solver decides many
 * candidates, each as an assumption that binds one question only. */
#ifndef CLEW_SOLVE_SOLVE_H
#define CLEW_SOLVE_SOLVE_H

#include "base/err.h"
#include "solve/problem.h"

enum solve_way {
    SOLVE_NATIVE,  /* differences and equalities only; sums are answered with UNKNOWN */
    SOLVE_LIBZ3,   /* everything */
    SOLVE_PROGRAM, /* everything, by a program that speaks SMT-LIB 2 on its standard input */
};

struct solver_options {
    enum solve_way way;
    const char *command; /* SOLVE_PROGRAM: words split at blanks, quotes as in a shell; no shell */
    uint64_t bytes_max;  /* memory of libz3 (of all its contexts in this process) or the program; 0:
                            unlimited */
};

/* The budget of one question; 0 is unlimited. */
struct solve_budget {
    uint64_t step_count_max; /* in the solver's own measure, the same on every machine; a program
                                has none */
    uint64_t time_ns_max;
};

/* UNKNOWN comes first: a zeroed answer claims nothing. */
enum solve_verdict {
    SOLVE_UNKNOWN,
    SOLVE_SAT,
    SOLVE_UNSAT,
};

enum solve_cause {
    SOLVE_CAUSE_NONE,        /* the verdict is known */
    SOLVE_CAUSE_BUDGET,      /* steps or time ran out */
    SOLVE_CAUSE_UNSUPPORTED, /* this implementation cannot express the problem */
    SOLVE_CAUSE_BROKEN,      /* the solver died, ran out of memory, or violated the protocol */
};

struct solve_answer {
    enum solve_verdict verdict;
    enum solve_cause cause; /* of UNKNOWN */
    struct err reason;      /* of UNKNOWN: one sentence */
    const int64_t *model; /* of SAT: a value per variable; the solver's, until the next question */
    uint64_t step_count;  /* its cost, where steps are bounded */
};

/* A question: are there values for which the problem and all assumed atoms hold? */
struct solve_question {
    const struct solve_atom *assumed;
    size_t assumed_count;
    struct solve_budget budget;
};

struct solver;

/* A solver of p, which must outlive it. Fails (NULL, e set) when the implementation cannot start:
 * the program does not exist, the library has no memory. */
MUST_USE struct solver *solver_new(const struct solver_options *options, const struct problem *p,
                                   struct err *e);
void solver_free(struct solver *s);

/* Answers the question. A model of libz3 or a program is returned only after problem_check; the
 * native solver's model is the state its proof rests on. A broken solver stays broken: each further
 * answer is UNKNOWN. */
void solver_decide(struct solver *s, const struct solve_question *question,
                   struct solve_answer *answer);

#endif
