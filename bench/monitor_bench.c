/* The monitor on the published workload, beside libz3 in the same run. */
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "monitor/decide.h"
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

/* What one answer took: reading the reports, and deciding. */
struct cost {
    double reading_s, deciding_s;
    enum cut_verdict verdict;
};

static struct cost decide(const struct trace *t, const char *property, bool is_by_solver)
{
    struct spec s;
    struct in in;
    struct err e;
    struct notes notes = {0};
    struct chronicle h = {0};
    struct bound bound = {0};
    struct arena arena = {0};
    struct clauses clauses = {0};
    spec_init(&s);
    in_open_memory(&in, property, strlen(property));
    must(spec_parse(&s, &in, &e) == 0);
    const double begin = limit_usage().cpu_seconds;
    chronicle_processes(&h, t);
    must(bind_spec(&bound, &s,
                   &(struct checker_system){h.processes.at, (uint32_t)h.processes.count}, &e) == 0);
    const struct chronicle_options options = {.skew = workload_default(WORKLOAD_TDM).skew};
    chronicle_build(&h, &s, &bound, &options, &notes);
    uint32_t *taken = arena_array(&arena, uint32_t, h.cuts.process_count);
    const double ready = limit_usage().cpu_seconds;
    must(clauses_build(&clauses, &h, bound.atoms.at[bound.properties.at[0].atom], &arena));
    must(clauses.list.count == 1);
    const struct decision d = decide_clause(
        &h, &clauses.list.at[0], &(struct decide_options){.is_by_solver = is_by_solver}, taken);
    const struct cost cost = {ready - begin, limit_usage().cpu_seconds - ready, d.verdict};
    clauses_release(&clauses);
    arena_release(&arena);
    chronicle_release(&h);
    bound_release(&bound);
    notes_release(&notes);
    in_close(&in);
    spec_release(&s);
    return cost;
}

static int measure(const struct row *row)
{
    enum { ROUNDS = 20 };
    struct workload w = workload_default(row->workload);
    w.seed = row->seed;
    struct trace t;
    trace_init(&t);
    workload_run(&w, &t);
    struct cost ours = {0};
    for (int i = 0; i < ROUNDS; i++) {
        const struct cost cost = decide(&t, row->property, false);
        ours.verdict = cost.verdict;
        ours.reading_s += cost.reading_s / ROUNDS;
        ours.deciding_s += cost.deciding_s / ROUNDS;
    }
    const struct cost z3 = decide(&t, row->property, true);
    const double ratio = z3.deciding_s / ours.deciding_s;
    const bool is_ok = ours.verdict == z3.verdict && ratio >= row->wanted;
    printf("%-22s %-4s %7.2f ms %9.3f ms %9.2f s %8.2f s %8.0f x  >= %5.0f x  %s\n", row->name,
           ours.verdict == CUT_YES ? "yes" : "no", ours.reading_s * 1e3, ours.deciding_s * 1e3,
           z3.deciding_s, row->published_s, ratio, row->wanted,
           ours.verdict != z3.verdict ? "DIFFERS"
           : is_ok                    ? "ok"
                                      : "missed");
    trace_release(&t);
    return is_ok;
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
    return 0;
}
