/* What runs of a simulated system do: how often each line was logged and each fault struck in a
 * run, in the median of runs by the sampling strategies in turn.
 *
 *     case_work build/cases/raft.so RUNS [BUGS-AND-SETTINGS]
 *     raft: 200 runs: elected 3, committed 8, crash 2, restart 2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "sim/sim.h"
#include "trace/kind_table.h"

static const enum pick_strategy strategies[] = {PICK_RANDOM, PICK_PCT, PICK_POS, PICK_SURW};
enum { STRATEGY_COUNT = sizeof strategies / sizeof *strategies, LINES_MAX = 32, DEPTH = 1000 };

/* How often something was done, run by run. */
struct work {
    char name[64];
    VEC(uint32_t) counts;
};

struct works {
    struct work list[LINES_MAX];
    size_t count;
};

static void count_one(struct works *all, const char *name, size_t run)
{
    size_t i = 0;
    while (i < all->count && strcmp(all->list[i].name, name) != 0) {
        i++;
    }
    if (i == LINES_MAX) {
        return;
    }
    struct work *w = &all->list[i];
    all->count += i == all->count;
    (void)snprintf(w->name, sizeof w->name, "%s", name);
    while (w->counts.count <= run) {
        vec_push(&w->counts, 0);
    }
    (*vec_at(&w->counts, run))++;
}

static void count_run(struct works *all, const struct trace *t, const struct execution *x,
                      size_t run)
{
    trace_each (t, e) {
        if (e->kind == EVENT_LOG) {
            count_one(all, trace_name(t, e->text), run);
        }
    }
    vec_each (&x->steps, step) {
        if (step->operation.fault != 0) {
            count_one(all, mode_name(MODES_FAULT, step->operation.fault), run);
        }
    }
}

static int compare(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static uint32_t median(struct work *w, size_t runs)
{
    while (w->counts.count < runs) {
        vec_push(&w->counts, 0);
    }
    sort_stable(w->counts.at, w->counts.count, sizeof *w->counts.at, compare, NULL);
    return w->counts.at[w->counts.count / 2];
}

static int run_all(struct world *w, size_t runs, struct works *all, struct err *e)
{
    const struct sim_defaults own = sim_defaults(w);
    struct fault_budget faults;
    if (fault_budget_parse(&faults, own.faults[0] == '\0' ? "none" : own.faults, e) < 0) {
        return -1;
    }
    for (size_t run = 0; run < runs; run++) {
        struct trace t;
        struct execution x = {0};
        trace_init(&t);
        const struct plan p = {
            .pick = {.strategy = strategies[run % STRATEGY_COUNT], .seed = run, .depth = 3},
            .faults = faults,
            .steps_max = own.depth == 0 ? DEPTH : own.depth,
            .trace = &t};
        const int result = world_run(w, &p, &x, e);
        count_run(all, &t, &x, run);
        execution_release(&x);
        trace_release(&t);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

int main(int argument_count, char **arguments)
{
    struct works all = {0};
    struct world *w = NULL;
    struct err e = {.text = ""};
    if (argument_count < 3) {
        (void)fprintf(stderr, "usage: case_work SYSTEM.so RUNS [BUGS-AND-SETTINGS]\n");
        return 2;
    }
    const size_t runs = strtoul(arguments[2], NULL, 10);
    const struct sim_options options = {.with = arguments[3]};
    int result = sim_open(&w, arguments[1], &options, &e);
    if (result == 0) {
        result = run_all(w, runs, &all, &e);
    }
    if (result < 0) {
        (void)fprintf(stderr, "case_work: %s\n", e.text);
    } else {
        (void)printf("%s: %zu runs:", w->system, runs);
    }
    for (size_t i = 0; i < all.count; i++) {
        if (result == 0) {
            (void)printf("%s %s %u", i == 0 ? "" : ",", all.list[i].name,
                         median(&all.list[i], runs));
        }
        vec_release(&all.list[i].counts);
    }
    (void)printf("%s", result == 0 ? "\n" : "");
    world_close(w);
    return result == 0 ? 0 : 2;
}
