/* If an explored run breaks a property in a real state of the whole system, the monitor reports the
 * violation as possible on the trace of that run. */
#include <string.h>

#include "monitored.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"

/* Nodes that pass a number around a few times, each adding to its own. */
enum { NODE_COUNT = 3, NUMBER = 0 };
static const char *const messages[] = {"number", NULL};

struct node {
    int64_t x;
};

struct number {
    uint32_t left; /* times to be passed on */
    uint32_t value;
};

static void pass_on(uint32_t to, struct number number)
{
    clew_send(to, NUMBER, &number, sizeof number);
}

static void start(void *state)
{
    struct node *node = state;
    const uint32_t self = (uint32_t)clew_self();
    node->x = self;
    clew_variable("x", node->x);
    pass_on((self + 1) % NODE_COUNT, (struct number){.left = 2, .value = self + 1});
    pass_on((self + 2) % NODE_COUNT, (struct number){.left = 1, .value = self + 2});
}

static void add(void *state, const struct clew_message *m)
{
    struct node *node = state;
    struct number number;
    memcpy(&number, m->bytes, sizeof number);
    node->x = (node->x + number.value) % 5;
    clew_variable("x", node->x);
    if (number.left > 0) {
        pass_on(((uint32_t)clew_self() + number.value) % NODE_COUNT,
                (struct number){number.left - 1, number.value + 1});
    }
}

static const struct clew_system passing = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "passing",
                                           .node_count = NODE_COUNT,
                                           .messages = messages,
                                           .state_size = sizeof(struct node),
                                           .start = start,
                                           .message = add};

static const char *const properties[] = {
    "p: never count(p: p.x = 4) >= 2",
    "p: never forall p. p.x <= 1",
    "p: never sum(p: p.x) >= 11",
    "p: never sum(p: p.x) = 9",
    "p: never exists p. exists q. p != q and p.x = 3 and q.x = 3",
    "p: always sum(p: p.x) <= 10 and count(p: p.x = 0) <= 1",
};

/* How many of the runs show it in a real state. */
static uint64_t check_property(const char *text, uint64_t run_count, uint64_t *possible)
{
    struct spec s = spec_of(text);
    struct err e = {.text = ""};
    struct world *w = NULL;
    struct execution x = {0};
    uint64_t shown = 0;
    const struct sim_options options = {.net = "datagram", .spec = &s};
    CHECK_INT(sim_open_system(&w, &passing, &clew_calls, &options, &e), 0);
    for (uint64_t seed = 1; seed <= run_count; seed++) {
        struct trace t;
        trace_init(&t);
        system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}, .trace = &t},
                   &x);
        trace_seal(&t);
        const bool is_shown = x.outcome == OUTCOME_PROPERTY;
        const enum cut_verdict verdict =
            monitored(&t, &s, &(struct monitor_options){.skew = INT64_MAX}, NULL).verdict;
        if (is_shown && verdict != CUT_YES) {
            fail_msg("%s, seed %llu: shown, but the monitor says %d", text,
                     (unsigned long long)seed, (int)verdict);
        }
        shown += is_shown;
        *possible += verdict == CUT_YES;
        trace_release(&t);
    }
    execution_release(&x);
    world_close(w);
    spec_release(&s);
    return shown;
}

TEST(what_a_run_shows_is_possible_on_its_trace)
{
    uint64_t shown = 0;
    uint64_t possible = 0;
    const uint64_t run_count = test_count(100, 5000);
    const size_t count = sizeof properties / sizeof *properties;
    for (size_t i = 0; i < count; i++) {
        shown += check_property(properties[i], run_count, &possible);
    }
    print_message("# shown by %llu of %llu runs, possible on %llu\n", (unsigned long long)shown,
                  (unsigned long long)(count * run_count), (unsigned long long)possible);
    CHECK(shown > 0);
    CHECK(shown < count * run_count);
    CHECK(possible >= shown);
}
