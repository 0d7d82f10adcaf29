/* Problems as SMT-LIB 2 text, and the replies of a solver.
 *
 *     (set-logic QF_IDL)
 *     ; node1/main write x
 *     (declare-fun x0 () Int)
 *     (declare-fun x1 () Int)
 *     (assert (<= x0 x1))
 *     ; assumed
 *     (assert (= x0 x1))
 *     (check-sat)
 *     (get-value (x0 x1))
 *
 * The same problem gives the same bytes. Variable number n is xn. */
#ifndef CLEW_SOLVE_SMTLIB_H
#define CLEW_SOLVE_SMTLIB_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/out.h"
#include "solve/solve.h"

/* Prints the question as a whole script. names[v], where names is not NULL and has it, describes
 * variable v in a comment; characters other than printable ASCII become '?'. */
void smtlib_print(struct out *o, const struct problem *p, const struct solve_question *question,
                  const char *const *names);

/* The parts of a script, a line each; an atom is part of a line. */
void smtlib_print_logic(struct out *o, bool is_difference);
void smtlib_print_declaration(struct out *o, uint32_t variable);
void smtlib_print_atom(struct out *o, const struct problem *p, struct solve_atom atom);
void smtlib_print_clause(struct out *o, const struct problem *p, struct solve_clause clause);
void smtlib_print_values(struct out *o, uint32_t variable_count);

/* Whether everything compares the difference of two variables with a number: QF_IDL, else QF_LIA.
 * O(atoms). */
bool smtlib_is_difference(const struct problem *p, const struct solve_question *question);

/* A scanner for the end of a reply, as its bytes arrive; {0} begins. */
struct smtlib_scan {
    size_t seen; /* bytes scanned */
    size_t depth;
    char quote;    /* inside "..." or |...| , or ';' in a comment; 0: none */
    bool has_word; /* an atom has begun */
};

/* Scans bytes[scan->seen .. size) and returns whether the first reply, an atom or a list, is
 * complete: then it is bytes[0 .. scan->seen). An atom is complete when something follows it. */
bool smtlib_scan(struct smtlib_scan *scan, const char *bytes, size_t size);

enum smtlib_reply_kind {
    SMTLIB_SAT,
    SMTLIB_UNSAT,
    SMTLIB_UNKNOWN,
    SMTLIB_VALUES,
};

/* The parsed reply. */
struct smtlib_reply {
    enum smtlib_reply_kind kind;
    int64_t *values; /* the caller's: reported values are set, the others stay */
    uint32_t value_count;
};

/* Parses one reply: sat, unsat, unknown, or values as get-value or get-model print them. Values of
 * variables from value_count on and of other names are ignored. Fails on anything else, an (error
 * ...) included, and on numbers of more than 64 bits. */
MUST_USE int smtlib_parse_reply(const char *bytes, size_t size, struct smtlib_reply *reply,
                                struct err *e);

#endif
