/* One property decided on one run, for the benches of the monitor. */
#ifndef CLEW_BENCH_MONITOR_RUN_H
#define CLEW_BENCH_MONITOR_RUN_H

#include "monitor/offline/decide_clause.h"
#include "monitor/workload.h"

/* The cost of one answer: reading the reports, and deciding. CPU time. */
struct cost {
    double reading_s, deciding_s;
    enum cut_verdict verdict;
};

/* Decides the property, which must be one clause, on t. */
struct cost monitor_run(const struct trace *t, const char *property, int64_t skew,
                        const struct decide_options *o);

/* The mean of many rounds, because a single time is too short to measure. */
struct cost monitor_run_many(const struct trace *t, const char *property, int64_t skew);

/* The middle of three with libz3. */
struct cost monitor_run_z3(const struct trace *t, const char *property, int64_t skew,
                           bool is_packed);

#endif
