/* Measures the simulator: steps of a small system that checks a property after each, resets, and
 * checkpoints of a larger state. Prints a table, wanted and got. */
#define CLEW_SIM_IN_PROGRAM
#include <clew/sim.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/limit.h"
#include "base/mem.h"
#include "campaign/campaign.h"
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
static double measure_steps(const struct clew_system *system, enum pick_strategy strategy,
                            bool wants_states)
{
    struct world *w = open_world(system);
    struct execution x = {0};
    struct err e;
    const uint32_t steps_max = 1000;
    uint64_t steps = 0;
    const double begin = limit_usage().cpu_seconds;
    double seconds = 0;
    for (uint64_t run = 0; seconds < 1; run++) {
        const struct plan p = {.pick = {.strategy = strategy, .seed = run},
                               .steps_max = steps_max,
                               .wants_states = wants_states};
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

/* How to search. */
struct searching {
    int strategy;
    uint32_t depth;
    uint32_t jobs;
    struct limit budget;
    struct campaign *campaign; /* NULL: nothing is kept */
};

/* Runs per second. */
struct rates {
    double wall;
    double processor;
};

/* The best of some rounds counts, for others may want the processors too. */
enum { ROUNDS = 7 };

static struct rates measure_search(const struct searching *how)
{
    struct world *w = open_world(&ping_echo);
    struct err e = {.text = ""};
    struct explored found = {0};
    struct explore_options o = {.strategy = how->strategy,
                                .search = {.depth = how->depth, .has_states = true, .seed = 1},
                                .budget = how->budget,
                                .jobs = how->jobs,
                                .campaign = how->campaign,
                                .progress = no_progress,
                                .is_stopped = &never};
    limit_begin(&o.budget);
    const uint64_t begin_ns = limit_now_ns();
    const double begin = limit_usage().cpu_seconds;
    if (explore(w, &o, &found, &e) < 0) {
        (void)fprintf(stderr, "explore_bench: %s\n", e.text);
        abort();
    }
    const struct rates rates = {
        .wall = (double)found.runs * 1e9 / (double)(limit_now_ns() - begin_ns),
        .processor = (double)found.runs / (limit_usage().cpu_seconds - begin)};
    explored_release(&found);
    world_close(w);
    return rates;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* How many times as many runs two processes make in the same time. */
static void measure_jobs(void)
{
    struct rates one = {0};
    struct rates two = {0};
    /* Short and many: a short time without others comes sooner. */
    for (int i = 0; i < 3 * ROUNDS; i++) {
        struct searching how = {.strategy = PICK_RANDOM,
                                .depth = 100,
                                .jobs = 1,
                                .budget = {.time_ns = UINT64_C(100000000)}};
        const struct rates alone = measure_search(&how);
        how.jobs = 2;
        const struct rates together = measure_search(&how);
        one = (struct rates){larger(one.wall, alone.wall), larger(one.processor, alone.processor)};
        two = (struct rates){larger(two.wall, together.wall),
                             larger(two.processor, together.processor)};
    }
    print_row("runs of 100 steps, one process", one.wall / 1e3, "k/s", 0, false);
    print_row("two processes, times as many", two.wall / one.wall, "", 1.7, false);
    print_row("the same, if both had a processor each", 2 * two.processor / one.processor, "", 1.7,
              false);
}

/* A campaign in a folder of its own, and the end of both. */
static struct campaign *open_campaign(char *folder)
{
    struct campaign *c = NULL;
    struct err e = {.text = ""};
    must(mkdtemp(folder) != NULL);
    const struct campaign_options o = {.path = folder,
                                       .about = {.system = "ping-echo",
                                                 .build = "",
                                                 .world = "sim",
                                                 .strategy = "",
                                                 .settings = "",
                                                 .replay = ""}};
    if (campaign_open(&c, &o, &e) < 0) {
        (void)fprintf(stderr, "explore_bench: %s\n", e.text);
    }
    must(c != NULL);
    return c;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

/* Runs per second of processor time of a search that keeps all of itself. */
static double measure_kept(struct searching how)
{
    char folder[] = "/tmp/clew-bench-XXXXXX";
    how.campaign = open_campaign(folder);
    const double rate = measure_search(&how).processor;
    campaign_close(how.campaign);
    must(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    return rate;
}

/* The share of the processor's time, in percent, that goes into keeping a search of so many steps.
 */
static double measure_bookkeeping(int strategy, uint32_t depth)
{
    const uint64_t step_count = 1500000;
    const struct searching how = {
        .strategy = strategy, .depth = depth, .jobs = 1, .budget = {.runs = step_count / depth}};
    double without = 0;
    double with = 0;
    for (int i = 0; i < ROUNDS; i++) {
        without = larger(without, measure_search(&how).processor);
        with = larger(with, measure_kept(how));
    }
    return 100 * (1 - with / without);
}

int main(void)
{
    (void)printf("%-44s %12s %-10s   %10s\n", "three nodes, a property after each step", "got", "",
                 "wanted");
    struct clew_system large_nodes = ping_echo;
    large_nodes.state_size = LARGE_SIZE;
    print_row("steps, default order", measure_steps(&ping_echo, PICK_FIRST, false) / 1e6, "M/s", 3,
              false);
    print_row("steps, random", measure_steps(&ping_echo, PICK_RANDOM, false) / 1e6, "M/s", 3,
              false);
    print_row("steps, pos", measure_steps(&ping_echo, PICK_POS, false) / 1e6, "M/s", 0, false);
    print_row("steps, random, each state hashed",
              measure_steps(&ping_echo, PICK_RANDOM, true) / 1e6, "M/s", 3, false);
    print_row("the same, nodes of 100 KB", measure_steps(&large_nodes, PICK_RANDOM, true) / 1e3,
              "k/s", 0, false);
    print_row("resets of the whole system", measure_resets() / 1e3, "k/s", 20, false);
    print_row("checkpoint and restore of 100 KB", measure_checkpoint(), "us", 50, true);
    measure_jobs();
    print_row("bookkeeping, runs of 100 steps", measure_bookkeeping(PICK_RANDOM, 100), "%", 10,
              true);
    print_row("bookkeeping, runs of 10 steps", measure_bookkeeping(PICK_RANDOM, 10), "%", 10, true);
    print_row("bookkeeping, auto, runs of 30 steps", measure_bookkeeping(EXPLORE_AUTO, 30), "%", 10,
              true);
    return 0;
}
