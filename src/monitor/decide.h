/* Whether a cut shows a clause, and by which method that was found out. */
#ifndef CLEW_MONITOR_DECIDE_H
#define CLEW_MONITOR_DECIDE_H

#include "base/err.h"
#include "monitor/clause.h"
#include "solve/solve.h"

enum cut_verdict {
    CUT_UNKNOWN,
    CUT_NO,
    CUT_YES,
};

/* Why properties are UNKNOWN. */
#define MONITOR_TEMPORAL \
    "it speaks of how moments follow each other, which is not decided over cuts"
#define MONITOR_DOUBTED                                                                     \
    "clocks went back, were missing or differed by more than the skew: cuts may have been " \
    "ruled out wrongly"
#define MONITOR_LATE "reports came too late for what they could have changed"
#define MONITOR_STRANGER "a process reported that was not known when the others began"
#define MONITOR_UNREPORTED                                                                 \
    "it depends on a variable that is never reported, or not as a number, or on messages " \
    "that nobody received"
#define MONITOR_MISSING "reports are missing that it may depend on"

/* How a clause was decided. METHOD(id, name) */
#define METHOD_LIST(METHOD)           \
    METHOD(NONE, "nothing to decide") \
    METHOD(LEAST, "least cut")        \
    METHOD(FLOW, "minimum cut")       \
    METHOD(STEPS, "unit steps")       \
    METHOD(SOLVER, "libz3")

enum method {
#define METHOD(id, name) METHOD_##id,
    METHOD_LIST(METHOD)
#undef METHOD
};

const char *method_name(enum method method);

struct decide_options {
    bool is_by_solver;     /* everything, for comparison */
    bool is_packed;        /* libz3's formula has one number per process instead of two */
    uint32_t part_reports; /* so many reports are put to libz3 at once, unless more are within the
                              skew of each other; 0: 256 */
    struct solve_budget budget;
};

struct decision {
    enum cut_verdict verdict;
    enum method method;
    const char *reason; /* of UNKNOWN */
};

/* Decides the clause; of a YES, `taken` is the cut. */
struct decision decide_clause(struct chronicle *h, const struct clause *clause,
                              const struct decide_options *o, uint32_t *taken);

/* Writes the clause as a formula of SMT-LIB to path. Writes nothing when it speaks of what a cut
 * does not tell, or its numbers are too large. Fails (-1) when the file cannot be written. */
MUST_USE int decide_write(struct chronicle *h, const struct clause *clause,
                          const struct decide_options *o, const char *path, struct err *e);

#endif
