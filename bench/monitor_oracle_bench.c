/* Compares the monitor's reports on a stream with all cuts of the run: the share of possible
 * violations that it finds, the share of its reports that are possible, and their delay. */
#include <stdio.h>

#include "base/limit.h"
#include "monitor/workload.h"
#include "monitor_following.h"
#include "monitor_oracle.h"

struct row {
    const char *name;
    enum workload_kind workload;
    uint32_t fault; /* of turns, in percent */
    uint32_t process_count, least;
    int64_t duration;
};

static const struct row rows[] = {
    {"synthetic, all of 3", WORKLOAD_SYNTHETIC, 0, 3, 3, 10000},
    {"synthetic, 2 of 3", WORKLOAD_SYNTHETIC, 0, 3, 2, 10000},
    {"synthetic, all of 4", WORKLOAD_SYNTHETIC, 0, 4, 4, 2000},
    {"turns by the clock", WORKLOAD_TDM, 0, 4, 2, 200000},
    {"turns, 10 % held", WORKLOAD_TDM, 10, 4, 2, 200000},
    {"turns, all held", WORKLOAD_TDM, 100, 4, 2, 200000},
    {"token", WORKLOAD_TOKEN, 0, 3, 2, 10000},
};

struct race_groups {
    uint64_t checks;
    uint64_t possible, reported, both; /* checks at which it is, and is said to be */
    int64_t lag_sum, lag_max;          /* from the latest report of a cut to the report of it */
    double seconds;                    /* of deciding */
};

/* The first cut that was possible between two horizons; INT64_MAX: none. */
static int64_t first_between(const struct oracle *o, int64_t from, int64_t until)
{
    int64_t first = INT64_MAX;
    vec_each (&o->list, cut) {
        if (cut->latest >= from && cut->latest < until && cut->latest < first) {
            first = cut->latest;
        }
    }
    return first;
}

struct listening {
    const struct oracle *oracle;
    int64_t skew;
    struct stream_stats before;
    int64_t newest;
    struct race_groups groups;
};

/* Looks whether there was a check. */
static void listen(struct listening *l, const struct stream_stats *now)
{
    if (now->checks > l->before.checks) {
        struct race_groups *t = &l->groups;
        const bool is_reported = now->possible > l->before.possible;
        const bool is_possible =
            oracle_is_possible(l->oracle, l->skew, l->before.horizon, now->horizon);
        const int64_t first = first_between(l->oracle, l->before.horizon, now->horizon);
        t->checks++;
        t->possible += is_possible;
        t->reported += is_reported;
        t->both += is_possible && is_reported;
        if (is_reported && first != INT64_MAX) {
            t->lag_sum += l->newest - first;
            t->lag_max = l->newest - first > t->lag_max ? l->newest - first : t->lag_max;
        }
    }
    l->before = *now;
}

static void follow(const struct trace *t, const char *property, struct listening *l)
{
    struct following f;
    struct err e;
    following_begin(&f, t, property, l->skew);
    l->before = *stream_stats(f.stream);
    const double begin = limit_usage().cpu_seconds;
    trace_each (t, event) {
        l->newest = event->time > l->newest ? event->time : l->newest;
        must(stream_take(f.stream, event, 1, &e) == 0);
        listen(l, stream_stats(f.stream));
    }
    following_end(&f);
    listen(l, stream_stats(f.stream));
    l->groups.seconds = limit_usage().cpu_seconds - begin;
    following_release(&f);
}

static void print_share(uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        printf(" %9s", "-");
    } else {
        printf(" %7.1f %%", 100.0 * (double)part / (double)whole);
    }
}

static bool measure(const struct row *row)
{
    enum { SEEDS = 5, TICKS_PER_MS = 100 };
    struct race_groups all = {0};
    uint64_t cuts = 0;
    char property[64];
    (void)snprintf(property, sizeof property, "p: never count(p: p.v = 1) >= %u", row->least);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct workload w = workload_default(row->workload);
        struct trace t;
        struct oracle oracle = {0};
        w.process_count = row->process_count;
        w.fault = row->fault * 10000;
        w.duration = row->duration;
        if (row->workload == WORKLOAD_TDM) {
            w.message_rate /= 50; /* few, so that faults are not ordered away */
        }
        w.seed = seed;
        trace_init(&t);
        workload_run(&w, &t);
        oracle_walk(&oracle, &t, w.skew, row->least);
        struct listening l = {.oracle = &oracle, .skew = w.skew, .newest = INT64_MIN};
        follow(&t, property, &l);
        cuts += oracle.cut_count;
        all.checks += l.groups.checks;
        all.possible += l.groups.possible;
        all.reported += l.groups.reported;
        all.both += l.groups.both;
        all.lag_sum += l.groups.lag_sum;
        all.lag_max = l.groups.lag_max > all.lag_max ? l.groups.lag_max : all.lag_max;
        all.seconds += l.groups.seconds;
        oracle_release(&oracle);
        trace_release(&t);
    }
    printf("%-20s %11llu %7llu %8llu %8llu", row->name, (unsigned long long)cuts,
           (unsigned long long)all.checks, (unsigned long long)all.possible,
           (unsigned long long)all.reported);
    print_share(all.both, all.reported);
    print_share(all.both, all.possible);
    printf(" %7.1f ms %7.1f ms %8.1f us\n",
           all.both == 0 ? 0 : (double)all.lag_sum / (double)all.both / TICKS_PER_MS,
           (double)all.lag_max / TICKS_PER_MS, all.seconds * 1e6 / (double)all.checks);
    (void)fflush(stdout);
    return all.both == all.possible && all.both == all.reported;
}

int main(void)
{
    size_t met = 0;
    const size_t count = sizeof rows / sizeof *rows;
    printf("\nWhat a stream reports at each check (every 10 ms, the skew), beside all cuts of the "
           "run, 5 seeds\n\n%-20s %11s %7s %8s %8s %9s %9s %10s %10s %11s\n",
           "run", "cuts", "checks", "possible", "reported", "precision", "recall", "latency",
           "at most", "a check");
    for (size_t i = 0; i < count; i++) {
        met += measure(&rows[i]);
    }
    printf("\n%zu of %zu with nothing missed and nothing made up\n", met, count);
    return 0;
}
