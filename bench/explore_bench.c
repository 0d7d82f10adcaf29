/* Measures the simulator: steps of a small system that checks a property after each, resets, and
 * checkpoints of a larger state. Prints a table, wanted and got. */
#define CLEW_SIM_IN_PROGRAM
#include <clew/sim.h>
#include <stdio.h>

#include "base/limit.h"
#include "base/mem.h"
#include "explore/explore.h"
#include "sim/sim.h"
#include "world/world.h"

enum { NODE_COUNT = 3, LARGE_SIZE = 100000 };

enum { PING, ECHO };
static const char *const messages[] = {"ping", "echo", NULL};

struct node {
    uint64_t pings;
    uint64_t echoes;
};

/* Every node pings the next, which echoes; for ever. */
static void start(void *state)
{
    (void)state;
    clew_send((clew_self() + 1) % NODE_COUNT, PING, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    if (m->type == PING) {
        node->pings++;
        clew_send(m->from, ECHO, NULL, 0);
    } else {
        node->echoes++;
        clew_send((clew_self() + 1) % NODE_COUNT, PING, NULL, 0);
    }
}

/* A node echoes no more than were pinged. */
static bool echoes_are_pinged(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        const struct node *next = view->states[(i + 1) % view->node_count];
        if (node->echoes > next->pings) {
            return false;
        }
    }
    return true;
}

static const struct clew_property properties[] = {
    {.name = "echoes are pinged", .holds = echoes_are_pinged},
    {0},
};

static const struct clew_system ping_echo = {.version = CLEW_SIM_VERSION,
                                             .size = sizeof(struct clew_system),
                                             .name = "ping-echo",
                                             .node_count = NODE_COUNT,
                                             .messages = messages,
                                             .state_size = sizeof(struct node),
                                             .start = start,
                                             .message = message,
                                             .properties = properties};

static struct world *open_world(const struct clew_system *system)
{
    struct world *w = NULL;
    struct err e = {.text = ""};
    if (sim_open_system(&w, system, &clew_calls, &(struct sim_options){0}, &e) < 0) {
        (void)fprintf(stderr, "explore_bench: %s\n", e.text);
    }
    must(w != NULL);
    return w;
}

static void print_row(const char *what, double got, const char *unit, double wanted, bool is_most)
{
    (void)printf("%-44s %12.1f %-10s %s %10.4g  %s\n", what, got, unit, is_most ? "<" : ">", wanted,
                 (is_most ? got <= wanted : got >= wanted) ? "yes" : "no");
}

/* Steps per second of processor time. */
static double measure_steps(enum pick_strategy strategy)
{
    struct world *w = open_world(&ping_echo);
    struct execution x = {0};
    struct err e;
    const uint32_t steps_max = 1000;
    uint64_t steps = 0;
    const double begin = limit_usage().cpu_seconds;
    double seconds = 0;
    for (uint64_t run = 0; seconds < 1; run++) {
        const struct plan p = {.pick = {.strategy = strategy, .seed = run}, .steps_max = steps_max};
        must(world_run(w, &p, &x, &e) == 0);
        must(x.outcome == OUTCOME_LIMIT);
        steps += x.steps.count;
        seconds = limit_usage().cpu_seconds - begin;
    }
    execution_release(&x);
    world_close(w);
    return (double)steps / seconds;
}

/* Whole runs of no step at all: everything is set up anew, and the nodes start. */
static double measure_resets(void)
{
    struct world *w = open_world(&ping_echo);
    struct execution x = {0};
    const struct plan p = {0};
    const double begin = limit_usage().cpu_seconds;
    const uint32_t count = 200000;
    for (uint32_t i = 0; i < count; i++) {
        w->ops->begin(w, &p, &x);
    }
    const double seconds = limit_usage().cpu_seconds - begin;
    execution_release(&x);
    world_close(w);
    return count / seconds;
}

static const struct clew_system large = {.version = CLEW_SIM_VERSION,
                                         .size = sizeof(struct clew_system),
                                         .name = "large",
                                         .node_count = 1,
                                         .messages = messages,
                                         .state_size = LARGE_SIZE,
                                         .message = message};

/* Microseconds for a checkpoint and its restoring. */
static double measure_checkpoint(void)
{
    struct world *w = open_world(&large);
    struct execution x = {0};
    w->ops->begin(w, &(struct plan){0}, &x);
    const uint32_t count = 20000;
    const double begin = limit_usage().cpu_seconds;
    for (uint32_t i = 0; i < count; i++) {
        void *copy = w->ops->checkpoint(w);
        w->ops->restore(w, copy);
        mem_free(copy);
    }
    const double seconds = limit_usage().cpu_seconds - begin;
    execution_release(&x);
    world_close(w);
    return seconds / count * 1e6;
}

static volatile sig_atomic_t never;

static void no_progress(void *context, const struct explore_progress *p)
{
    (void)context;
    (void)p;
}

/* Runs per second of wall time with so many processes. */
static double measure_jobs(uint32_t jobs)
{
    struct world *w = open_world(&ping_echo);
    struct err e = {.text = ""};
    struct explored found = {0};
    struct explore_options o = {.strategy = PICK_RANDOM,
                                .search = {.depth = 100, .seed = 1},
                                .budget = {.time_ns = UINT64_C(2000000000)},
                                .jobs = jobs,
                                .progress = no_progress,
                                .is_stopped = &never};
    limit_begin(&o.budget);
    const uint64_t begin = limit_now_ns();
    must(explore(w, &o, &found, &e) == 0);
    const double seconds = (double)(limit_now_ns() - begin) / 1e9;
    const double rate = (double)found.runs / seconds;
    explored_release(&found);
    world_close(w);
    return rate;
}

int main(void)
{
    (void)printf("%-44s %12s %-10s   %10s\n", "three nodes, a property after each step", "got", "",
                 "wanted");
    print_row("steps, default order", measure_steps(PICK_FIRST) / 1e6, "M/s", 3, false);
    print_row("steps, random", measure_steps(PICK_RANDOM) / 1e6, "M/s", 3, false);
    print_row("steps, pos", measure_steps(PICK_POS) / 1e6, "M/s", 0, false);
    print_row("resets of the whole system", measure_resets() / 1e3, "k/s", 20, false);
    print_row("checkpoint and restore of 100 KB", measure_checkpoint(), "us", 50, true);
    const double one = measure_jobs(1);
    print_row("runs of 100 steps, one process", one / 1e3, "k/s", 0, false);
    print_row("two processes, times as many", measure_jobs(2) / one, "", 1.7, false);
    return 0;
}
