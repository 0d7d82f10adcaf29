/* The monitor on the published workload, beside libz3 in the same run. */
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "monitor/monitor.h"
#include "monitor/workload.h"

struct row {
    const char *name;
    const char *property;
    double published_s; /* median of the paper, of its own machine */
    double wanted;      /* times faster than libz3 */
    enum workload_kind workload;
    uint64_t seed;
};

static const struct row rows[] = {
    {"conjunction", "p: never forall p. p.v = 1", 1.35, 1000, WORKLOAD_SYNTHETIC, 1},
    {"conjunction, none", "p: never forall p. p.v = 2", 1.35, 1000, WORKLOAD_SYNTHETIC, 1},
    {"exactly 5", "p: never count(p: p.v = 1) = 5", 1.24, 50, WORKLOAD_SYNTHETIC, 1},
    {"at least 5", "p: never count(p: p.v = 1) >= 5", 1.26, 50, WORKLOAD_SYNTHETIC, 1},
    {"sum = 5", "p: never sum(p: p.v) = 5", 1.35, 50, WORKLOAD_SYNTHETIC, 1},
    {"sum >= 5", "p: never sum(p: p.v) >= 5", 1.29, 50, WORKLOAD_SYNTHETIC, 1},
    {"sum >= 11, none", "p: never sum(p: p.v) >= 11", 1.29, 50, WORKLOAD_SYNTHETIC, 1},
    {"time division", "p: never count(p: p.v = 1) >= 2", 0.61, 1000, WORKLOAD_TDM, 1},
    {"time division, fault", "p: never count(p: p.v = 1) >= 2", 0.61, 1000, WORKLOAD_TDM, 3},
};

/* Seconds of one decision; its verdict. */
static double decide(const struct trace *t, const char *property, bool is_by_solver,
                     enum cut_verdict *verdict)
{
    struct spec s;
    struct in in;
    struct err e;
    struct monitor_result result = {0};
    struct findings findings = {0};
    struct notes notes = {0};
    spec_init(&s);
    in_open_memory(&in, property, strlen(property));
    must(spec_parse(&s, &in, &e) == 0);
    const struct monitor_options o = {.skew = workload_default(WORKLOAD_SYNTHETIC).skew,
                                      .decide = {.is_by_solver = is_by_solver}};
    const double before = limit_usage().cpu_seconds;
    must(monitor_find(t, &s, &o, &findings, &result, &notes, &e) == 0);
    const double after = limit_usage().cpu_seconds;
    *verdict = result.properties.at[0].verdict;
    monitor_result_release(&result);
    findings_release(&findings);
    notes_release(&notes);
    in_close(&in);
    spec_release(&s);
    return after - before;
}

static int measure(const struct row *row)
{
    enum { ROUNDS = 20 };
    struct workload w = workload_default(row->workload);
    w.seed = row->seed;
    struct trace t;
    trace_init(&t);
    workload_run(&w, &t);
    enum cut_verdict ours = CUT_UNKNOWN;
    enum cut_verdict theirs = CUT_UNKNOWN;
    double seconds = 0;
    for (int i = 0; i < ROUNDS; i++) {
        seconds += decide(&t, row->property, false, &ours) / ROUNDS;
    }
    const double z3 = decide(&t, row->property, true, &theirs);
    const double ratio = z3 / seconds;
    const bool is_ok = ours == theirs && ratio >= row->wanted;
    printf("%-22s %-4s %9.2f ms %9.2f s %8.2f s %8.0f x  >= %5.0f x  %s\n", row->name,
           ours == CUT_YES ? "yes" : "no", seconds * 1e3, z3, row->published_s, ratio, row->wanted,
           ours != theirs ? "DIFFERS"
           : is_ok        ? "ok"
                          : "missed");
    trace_release(&t);
    return is_ok;
}

int main(void)
{
    int met = 0;
    const size_t count = sizeof rows / sizeof *rows;
    printf("10 processes, 1 s, skew 10 ms: about 30,000 reports (CPU time, whole decision)\n\n");
    printf("%-22s %-4s %12s %11s %10s %10s %11s\n", "property", "", "clew", "libz3", "published",
           "ratio", "wanted");
    for (size_t i = 0; i < count; i++) {
        met += measure(&rows[i]);
    }
    printf("\n%d of %zu met\n", met, count);
    return 0;
}
