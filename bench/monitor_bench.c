/* The monitor on the published workload, beside libz3 in the same run. */
#include <stdio.h>

#include "monitor_run.h"

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

static int measure(const struct row *row)
{
    struct workload w = workload_default(row->workload);
    w.seed = row->seed;
    struct trace t;
    trace_init(&t);
    workload_run(&w, &t);
    const struct cost ours = monitor_run_many(&t, row->property, w.skew);
    const struct cost z3 = monitor_run_z3(&t, row->property, w.skew, false);
    const double ratio = z3.deciding_s / ours.deciding_s;
    const bool is_ok = ours.verdict == z3.verdict && ratio >= row->wanted;
    printf("%-22s %-4s %7.2f ms %9.3f ms %9.2f s %8.2f s %8.0f x  >= %5.0f x  %s\n", row->name,
           ours.verdict == CUT_YES ? "yes" : "no", ours.reading_s * 1e3, ours.deciding_s * 1e3,
           z3.deciding_s, row->published_s, ratio, row->wanted,
           ours.verdict != z3.verdict ? "DIFFERS"
           : is_ok                    ? "ok"
                                      : "missed");
    (void)fflush(stdout);
    trace_release(&t);
    return is_ok;
}

/* ---- sweeps ---- */

struct sweep {
    const char *name;
    const char *values[4];
    void (*set)(struct workload *w, size_t value);
};

static void set_messages(struct workload *w, size_t value)
{
    static const uint32_t rates[] = {1000, 10000, 50000, 100000};
    w->message_rate = rates[value];
}

static void set_delay(struct workload *w, size_t value)
{
    static const int64_t delays[] = {10, 100, 1000, 5000};
    w->delay = delays[value];
}

static void set_beta(struct workload *w, size_t value)
{
    static const uint32_t betas[] = {1000, 10000, 50000, 100000};
    w->beta = betas[value];
}

static void set_interval(struct workload *w, size_t value)
{
    static const int64_t intervals[] = {1, 10, 100, 1000};
    w->interval = intervals[value];
}

static void set_skew(struct workload *w, size_t value)
{
    static const int64_t skews[] = {10, 100, 1000, 10000};
    w->skew = skews[value];
}

static void set_tick(struct workload *w, size_t value)
{
    static const uint64_t ticks[] = {10000, 20000, 50000, 100000};
    workload_rescale(w, ticks[value]);
}

static const struct sweep sweeps[] = {
    {"messages a second", {"100", "1000", "5000", "10000"}, set_messages},
    {"latency", {"0.1 ms", "1 ms", "10 ms", "50 ms"}, set_delay},
    {"beta", {"0.1 %", "1 %", "5 %", "10 %"}, set_beta},
    {"interval", {"0.01 ms", "0.1 ms", "1 ms", "10 ms"}, set_interval},
    {"skew", {"0.1 ms", "1 ms", "10 ms", "100 ms"}, set_skew},
    {"tick", {"0.01 ms", "0.02 ms", "0.05 ms", "0.1 ms"}, set_tick},
};

/* A tenth of a second, so that libz3's part of all of it stays within minutes. */
static void sweep(const struct sweep *s, size_t value)
{
    static const char conjunction[] = "p: never forall p. p.v = 1";
    static const char sum[] = "p: never sum(p: p.v) >= 5";
    struct workload w = workload_default(WORKLOAD_SYNTHETIC);
    w.duration /= 10;
    s->set(&w, value);
    struct trace t;
    trace_init(&t);
    workload_run(&w, &t);
    const struct cost ours = monitor_run_many(&t, conjunction, w.skew);
    const struct cost z3 =
        monitor_run(&t, conjunction, w.skew, &(struct decide_options){.is_by_solver = true});
    const struct cost ours_sum = monitor_run_many(&t, sum, w.skew);
    const struct cost z3_sum =
        monitor_run(&t, sum, w.skew, &(struct decide_options){.is_by_solver = true});
    const bool is_same = ours.verdict == z3.verdict && ours_sum.verdict == z3_sum.verdict;
    printf("%-18s %-8s %7zu %10.3f ms %8.3f s %8.0f x %10.3f ms %8.3f s %8.0f x%s\n",
           value == 0 ? s->name : "", s->values[value], t.events.count, ours.deciding_s * 1e3,
           z3.deciding_s, z3.deciding_s / ours.deciding_s, ours_sum.deciding_s * 1e3,
           z3_sum.deciding_s, z3_sum.deciding_s / ours_sum.deciding_s, is_same ? "" : "  DIFFERS");
    (void)fflush(stdout);
    trace_release(&t);
}

static void print_sweeps(void)
{
    printf("\n10 processes, 0.1 s, one parameter at a time; CPU time of deciding\n\n"
           "%-18s %-8s %7s %13s %10s %10s %13s %10s %10s\n",
           "", "", "reports", "conjunction", "libz3", "ratio", "sum >= 5", "libz3", "ratio");
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        for (size_t value = 0; value < 4; value++) {
            sweep(&sweeps[i], value);
        }
    }
}

int main(void)
{
    int met = 0;
    const size_t count = sizeof rows / sizeof *rows;
    printf("10 processes, 1 s, skew 10 ms: about 30,000 reports; CPU time\n\n");
    printf("%-22s %-4s %10s %12s %11s %10s %10s %11s\n", "property", "", "reading", "deciding",
           "libz3", "published", "ratio", "wanted");
    for (size_t i = 0; i < count; i++) {
        met += measure(&rows[i]);
    }
    printf("\n%d of %zu met\n", met, count);
    print_sweeps();
    return 0;
}
