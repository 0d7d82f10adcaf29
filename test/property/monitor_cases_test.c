/* The case studies: if a run breaks a property in a real state of the whole system, the monitor
 * reports the violation as possible on the trace of that run.
 *
 * The systems are those of cases/, as they are; around their handlers, each node reports a number
 * made from its state after every step. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "monitored.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"

static const struct {
    const char *library;
    const char *with; /* bugs and settings */
} cases[] = {
    {"raft", NULL},          {"raft", "raft-45"},   {"spark", NULL},
    {"spark", "spark-9256"}, {"cyclon", "shuffle"}, {"taxdc", "m3274"},
};

/* x is from 0 to 3. */
static const char *const properties[] = {
    "p: never count(p: p.x = 3) >= 2",
    "p: never forall p. p.x >= 1",
    "p: never sum(p: p.x) = 4",
    "p: always exists p. p.x != 2",
};

/* The system that is wrapped, and its door to the simulator. */
static const struct clew_system *wrapped;
static const struct clew_calls **calls;

/* The node's state as a small number, for people. */
static void report(void *state)
{
    char text[400] = "";
    uint32_t mixed = 7;
    if (wrapped->describe != NULL) {
        wrapped->describe(state, text, sizeof text);
    }
    for (const char *at = text; *at != '\0'; at++) {
        mixed = mixed * 31 + (unsigned char)*at;
    }
    (*calls)->variable("x", (mixed >> 8) % 4);
}

static void start(void *state)
{
    wrapped->start(state);
    report(state);
}

static void restart(void *state)
{
    (wrapped->restart != NULL ? wrapped->restart : wrapped->start)(state);
    report(state);
}

static void message(void *state, const struct clew_message *m)
{
    wrapped->message(state, m);
    report(state);
}

static void timer(void *state, int number)
{
    wrapped->timer(state, number);
    report(state);
}

static void written(void *state, uint32_t ticket, bool is_failed)
{
    wrapped->written(state, ticket, is_failed);
    report(state);
}

static struct clew_system wrap(void)
{
    struct clew_system system = *wrapped;
    system.properties = NULL;
    system.start = start;
    system.restart = restart;
    system.message = message;
    system.timer = wrapped->timer != NULL ? timer : NULL;
    system.written = wrapped->written != NULL ? written : NULL;
    return system;
}

struct race_groups {
    uint64_t shown, possible, runs;
};

/* One run of a library that was just loaded, so that its variables have their initial values. */
static void check_run(size_t which, const struct spec *s, uint64_t seed, struct race_groups *groups)
{
    struct err e = {.text = ""};
    struct world *w = NULL;
    struct execution x = {0};
    struct trace t;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/cases/%s.so", getenv("CLEW_BUILD"), cases[which].library);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fail_msg("%s", dlerror());
    }
    wrapped = dlsym(library, "clew_system");
    calls = dlsym(library, "clew_calls");
    const struct clew_system system = wrap();
    const struct sim_options options = {.spec = s, .with = cases[which].with};
    if (sim_open_system(&w, &system, calls, &options, &e) < 0) {
        fail_msg("%s: %s", cases[which].library, e.text);
    }
    trace_init(&t);
    system_run(w,
               &(struct plan){
                   .pick = {.strategy = PICK_RANDOM, .seed = seed}, .steps_max = 150, .trace = &t},
               &x);
    trace_seal(&t);
    const bool is_shown = x.outcome == OUTCOME_PROPERTY;
    const enum cut_verdict verdict =
        monitored(&t, s, &(struct monitor_options){.skew = INT64_MAX}, NULL).verdict;
    if (is_shown && verdict != CUT_YES) {
        fail_msg("%s, seed %llu: %s, but the monitor says %d", cases[which].library,
                 (unsigned long long)seed, x.what, (int)verdict);
    }
    groups->runs++;
    groups->shown += is_shown;
    groups->possible += verdict == CUT_YES;
    trace_release(&t);
    execution_release(&x);
    world_close(w);
    (void)dlclose(library);
}

TEST(what_a_run_of_a_case_study_shows_is_possible_on_its_trace)
{
    struct race_groups groups = {0};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        struct spec s = spec_of(properties[i]);
        for (size_t which = 0; which < sizeof cases / sizeof *cases; which++) {
            for (uint64_t seed = 1; seed <= test_count(10, 1000); seed++) {
                check_run(which, &s, seed, &groups);
            }
        }
        spec_release(&s);
    }
    print_message("# shown by %llu of %llu runs, possible on %llu\n",
                  (unsigned long long)groups.shown, (unsigned long long)groups.runs,
                  (unsigned long long)groups.possible);
    CHECK(groups.shown > 0);
    CHECK(groups.shown < groups.runs);
    CHECK(groups.possible >= groups.shown);
}
