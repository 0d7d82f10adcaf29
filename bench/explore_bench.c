/* Measures the simulator: steps of a small system that checks a property after each, resets, and
 * checkpoints of a larger state. Prints a table, wanted and got. */
#define CLEW_SIM_IN_PROGRAM
#include <clew/sim.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/sort.h"
#include "campaign/campaign.h"
#include "explore/explore.h"
#include "sim/sim.h"
#include "wire/prng.h"
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
static bool splice_windows_are_pinged(const struct clew_view *view)
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
    {.name = "echoes are pinged", .holds = splice_windows_are_pinged},
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

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Other processes use the processors and their caches too. The best of many short rounds depends
 * least on them. */
enum { ROUNDS = 6 };

/* Steps per second of processor time, in runs that take so long together. */
static double measure_round(struct world *w, struct plan p, double seconds_wanted)
{
    struct execution x = {0};
    struct err e;
    uint64_t steps = 0;
    const double begin = limit_usage().cpu_seconds;
    double seconds = 0;
    for (p.pick.seed = 0; seconds < seconds_wanted; p.pick.seed++) {
        must(world_run(w, &p, &x, &e) == 0);
        must(x.outcome == OUTCOME_LIMIT);
        steps += x.steps.count;
        seconds = limit_usage().cpu_seconds - begin;
    }
    execution_release(&x);
    return (double)steps / seconds;
}

static double measure_steps(const struct clew_system *system, enum pick_strategy strategy,
                            bool wants_states)
{
    struct world *w = open_world(system);
    const struct plan p = {
        .pick = {.strategy = strategy}, .steps_max = 1000, .wants_states = wants_states};
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        best = larger(best, measure_round(w, p, 0.1));
    }
    world_close(w);
    return best;
}

/* Whole runs without a step: the system is set up again, and the nodes start. */
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

/* The rates of a search that keeps all of itself. */
static struct rates measure_kept(struct searching how)
{
    char folder[] = "/tmp/clew-bench-XXXXXX";
    how.campaign = open_campaign(folder);
    const struct rates rates = measure_search(&how);
    campaign_close(how.campaign);
    must(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    return rates;
}

/* Two independent searches at a time: the machine's limit for two processes. */
static double measure_apart(const struct searching *how)
{
    int ends[2];
    must(pipe(ends) == 0);
    pid_t processes[2];
    for (int i = 0; i < 2; i++) {
        processes[i] = fork();
        must(processes[i] >= 0);
        if (processes[i] == 0) {
            const double rate = measure_kept(*how).wall;
            _exit(write(ends[1], &rate, sizeof rate) == sizeof rate ? 0 : 1);
        }
    }
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        int status = 0;
        must(waitpid(processes[i], &status, 0) == processes[i]);
        must(status == 0);
        double rate = 0;
        must(read(ends[0], &rate, sizeof rate) == sizeof rate);
        sum += rate;
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    return sum;
}

/* The speedup of a search by a second process. On a busy machine two processes may get no more
 * processor time than one. So the cost of sharing a search is measured against two independent
 * searches, alternating with them. */
static void measure_jobs(void)
{
    const struct searching one = {.strategy = PICK_RANDOM,
                                  .depth = 100,
                                  .jobs = 1,
                                  .budget = {.time_ns = UINT64_C(2000000000)}};
    struct searching two = one;
    two.jobs = 2;
    double alone = 0;
    double apart = 0;
    struct rates together = {0};
    double alone_processor = 0;
    enum { LONG_ROUNDS = 4 }; /* that a search begins is a small part of each */
    for (int i = 0; i < LONG_ROUNDS; i++) {
        const struct rates first = measure_kept(one);
        const struct rates both = measure_kept(two);
        alone += first.wall;
        alone_processor += first.processor;
        together.wall += both.wall;
        together.processor += both.processor;
        apart += measure_apart(&one);
    }
    print_row("runs of 100 steps, one process", alone / LONG_ROUNDS / 1e3, "k/s", 0, false);
    print_row("two processes, times as many", together.wall / alone, "", 1.7, false);
    print_row("the same, where two apart make twice as many", 2 * together.wall / apart, "", 1.7,
              false);
    print_row("the same, by time of the processors", 2 * together.processor / alone_processor, "",
              1.7, false);
}

/* Processor seconds for storing a run, in jobs of `run_count` runs, all different. */
static double measure_keeping(uint32_t run_count)
{
    char folder[] = "/tmp/clew-bench-XXXXXX";
    struct campaign *c = open_campaign(folder);
    struct err e;
    enum { JOBS = 3 };
    struct prng prng;
    prng_init(&prng, 1);
    const double begin = limit_usage().cpu_seconds;
    for (int i = 0; i < JOBS; i++) {
        struct campaign_job job;
        must(campaign_take(c, run_count, &job, &e) == 0);
        for (uint32_t k = 0; k < run_count; k++) {
            campaign_run(c, &(struct campaign_run){.number = job.first + k,
                                                   .seed = prng_next(&prng),
                                                   .strategy = "random",
                                                   .outcome = "limit",
                                                   .violation = "",
                                                   .execution_hash = prng_next(&prng)});
        }
        campaign_check(c, &(struct campaign_property){.name = "p", .text = "", .checks = 1});
        must(campaign_done(c, &e) == 0);
    }
    const double seconds = limit_usage().cpu_seconds - begin;
    campaign_close(c);
    must(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    return seconds / JOBS / run_count;
}

/* The share of processor time, in percent, for storing a search of runs of this depth. Both parts
 * are measured separately: the difference of two whole searches is smaller than the noise of the
 * machine. */
static double measure_bookkeeping(uint32_t depth)
{
    const struct searching how = {
        .strategy = PICK_RANDOM, .depth = depth, .jobs = 1, .budget = {.runs = 200000 / depth}};
    double rate = 0;
    for (int i = 0; i < 4 * ROUNDS; i++) {
        rate = larger(rate, measure_search(&how).processor);
    }
    const uint32_t run_count = (uint32_t)(rate / 10); /* a tenth of a second */
    double kept = 1;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        const double seconds = measure_keeping(run_count);
        kept = seconds < kept ? seconds : kept;
    }
    return 100 * kept / (kept + 1 / rate);
}

static int compare(const void *left, const void *right, const void *context)
{
    (void)context;
    const double *a = left;
    const double *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The same of a search that is kept to be gone on with, as the difference of two: the median of
 * pairs. Rough where others want the processors. */
static double measure_difference(int strategy, uint32_t depth)
{
    const struct searching how = {
        .strategy = strategy, .depth = depth, .jobs = 1, .budget = {.runs = 1000000 / depth}};
    double shares[ROUNDS + 1];
    for (int i = 0; i <= ROUNDS; i++) {
        const double without = measure_search(&how).processor;
        shares[i] = 100 * (1 - measure_kept(how).processor / without);
    }
    sort_stable(shares, ROUNDS + 1, sizeof *shares, compare, NULL);
    return shares[ROUNDS / 2];
}

int main(void)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
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
    print_row("bookkeeping, runs of 100 steps", measure_bookkeeping(100), "%", 10, true);
    print_row("bookkeeping, runs of 10 steps", measure_bookkeeping(10), "%", 10, true);
    print_row("bookkeeping, auto, runs of 30 steps", measure_difference(EXPLORE_AUTO, 30), "%", 10,
              true);
    return 0;
}
