/* Decides whether a cut shows a clause, and names the method. */
#ifndef CLEW_MONITOR_OFFLINE_DECIDE_CLAUSE_H
#define CLEW_MONITOR_OFFLINE_DECIDE_CLAUSE_H

#include "base/err.h"
#include "base/limit.h"
#include "monitor/offline/clause.h"
#include "solve/solve.h"

enum cut_verdict {
    CUT_UNKNOWN,
    CUT_NO,
    CUT_YES,
};

/* The reasons for UNKNOWN. */
#define MONITOR_TEMPORAL \
    "it speaks of how moments follow each other, which is not decided over cuts"
#define MONITOR_DOUBTED                                                                       \
    "clocks went back, were missing or differed by more than the skew, or messages have the " \
    "same name: cuts may have been ruled out wrongly"
#define MONITOR_UNMATCHED                                                                      \
    "messages without a name of their own cannot be matched in a stream and may rule it out; " \
    "the whole trace, without --check-every, tells more"
#define MONITOR_THREADS                                                                        \
    "threads of one process reported that nothing orders: they are taken in the order of the " \
    "run, and another order may show it"
#define MONITOR_LATE "reports came too late for what they could have changed"
#define MONITOR_STRANGER "a process reported that was not known when the others began"
#define MONITOR_UNREPORTED                                                                 \
    "it depends on a variable that is never reported, or not as a number, or on messages " \
    "that nobody received"
#define MONITOR_BUDGET "the budget ended before it was decided"
#define MONITOR_MISSING "reports are missing that it may depend on"

/* The methods that decide a clause. METHOD(id, name) */
#define METHOD_LIST(METHOD)           \
    METHOD(NONE, "nothing to decide") \
    METHOD(LEAST, "least cut")        \
    METHOD(FLOW, "minimum cut")       \
    METHOD(STEPS, "unit steps")       \
    METHOD(ORDER, "clock order")      \
    METHOD(SOLVER, "libz3")

enum method {
#define METHOD(id, name) METHOD_##id,
    METHOD_LIST(METHOD)
#undef METHOD
};

const char *method_name(enum method method);

struct decide_options {
    bool is_by_solver; /* libz3 decides everything, for comparison */
    bool is_packed;    /* libz3's formula has one number per process instead of two */
    /* The reports given to libz3 at once, unless more are within the skew of each other; 0: 256. */
    uint32_t part_reports;
    /* A formula with more literals in clauses is given to libz3 whole; 0: 4,096. Each clause costs
     * a pass over the reports. */
    uint32_t literals_max;
    struct solve_budget budget; /* of libz3, for each property */
    const struct limit *limit;  /* of all methods and properties together; NULL: none */
};

struct decision {
    enum cut_verdict verdict;
    enum method method;
    const char *reason; /* of UNKNOWN; empty: only libz3 can decide it */
};

/* Decides the clause by the exact algorithms, without libz3; of a YES, `taken` is the cut. UNKNOWN
 * once the watch, which may be NULL, has expired. */
struct decision decide_clause(struct state_history *h, const struct clause *clause,
                              struct limit_watch *watch, uint32_t *taken);

#endif
