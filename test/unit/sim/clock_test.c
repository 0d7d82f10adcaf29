/* Clocks and timers: how far the clocks of nodes may differ, and timers of a node that fire in any
 * order. */
#include "base/mem.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"

enum { TICK, TOCK };
static const char *const timers[] = {"tick", "tock", NULL};

/* Two nodes tick every 10 and tell each other; each has a slower timer, too. */
static void start(void *state)
{
    (void)state;
    clew_timer_set(TICK, 10);
    clew_timer_set(TOCK, 25);
}

static void tell(const void *bytes, size_t size)
{
    clew_send(1 - clew_self(), 0, bytes, size);
}

static uint64_t clock_of[2];
static uint64_t difference_max;

/* How far the node is behind the other, whose clock was last seen when its code ran. */
static void note_clock(void)
{
    clock_of[clew_self()] = clew_now();
    const uint64_t other = clock_of[1 - clew_self()];
    const uint64_t own = clew_now();
    const uint64_t difference = own > other ? 0 : other - own;
    difference_max = difference > difference_max ? difference : difference_max;
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    note_clock();
}

static void timer(void *state, int timer)
{
    (void)state;
    if (timer == TICK && clew_now() < 200) {
        clew_timer_set(TICK, 10);
        tell(NULL, 0);
    }
    clock_of[clew_self()] = clew_now();
}

static uint32_t skew;
static const char *const messages[] = {"told", NULL};

static const struct clew_system clocks = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "clocks",
                                          .node_count = 2,
                                          .messages = messages,
                                          .timers = timers,
                                          .start = start,
                                          .message = message,
                                          .timer = timer,
                                          .clock_skew_max = &skew};

/* How far clocks are apart at most, as the messages of many random runs find them. */
static uint64_t difference_of_runs(uint32_t skew_max)
{
    skew = skew_max;
    struct world *w = system_open(&clocks, "fifo");
    struct execution x = {0};
    uint64_t most = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        memset(clock_of, 0, sizeof clock_of);
        difference_max = 0;
        system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}}, &x);
        CHECK_INT(x.outcome, OUTCOME_PASSED);
        most = difference_max > most ? difference_max : most;
    }
    execution_release(&x);
    world_close(w);
    return most;
}

TEST(clocks_differ_by_no_more_than_the_skew)
{
    CHECK(difference_of_runs(0) > 50);
    CHECK(difference_of_runs(20) <= 20);
    CHECK(difference_of_runs(20) > 10);
    CHECK(difference_of_runs(1) <= 1);
}

/* The first timers that can fire, as the schedule writes them. */
static char *timers_at_first(const struct clew_system *system)
{
    struct world *w = system_open(system, "fifo");
    struct execution x = {0};
    const struct pick_operation *pending = NULL;
    w->ops->begin(w, &(struct plan){0}, &x);
    const uint32_t count = w->ops->pending(w, &pending);
    struct execution all = {0};
    for (uint32_t i = 0; i < count; i++) {
        vec_push(&all.steps, (struct step){.operation = pending[i]});
    }
    char *lines = system_steps(w, &all);
    execution_release(&all);
    execution_release(&x);
    world_close(w);
    return lines;
}

TEST(timers_of_a_node_fire_in_their_order_unless_they_are_independent)
{
    struct clew_system system = clocks;
    skew = 0;
    char *lines = timers_at_first(&system);
    CHECK_TEXT(lines, "timer main@n1 timer-fire tick #1\ntimer main@n2 timer-fire tick #1\n");
    mem_free(lines);
    system.timers_independent = true;
    lines = timers_at_first(&system);
    CHECK_TEXT(lines, "timer main@n1 timer-fire tick #1\ntimer main@n2 timer-fire tick #1\n"
                      "timer main@n1 timer-fire tock #1\ntimer main@n2 timer-fire tock #1\n");
    mem_free(lines);
}

TEST(independent_timers_are_steps_of_a_schedule)
{
    struct clew_system system = clocks;
    system.timers_independent = true;
    struct world *w = system_open(&system, "fifo");
    struct execution first = {0};
    struct execution again = {0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = seed}};
        system_run(w, &p, &first);
        struct recipe r = {0};
        system_recipe(w, &p, &first, &r);
        system_run(w, &r.plan, &again);
        CHECK(first.hash == again.hash);
        recipe_release(&r);
    }
    execution_release(&first);
    execution_release(&again);
    world_close(w);
}

TEST(independent_timers_have_no_bound_on_their_clocks)
{
    struct clew_system system = clocks;
    struct world *w = NULL;
    struct err e = {.text = ""};
    skew = 5;
    system.timers_independent = true;
    CHECK_INT(sim_open_system(&w, &system, &clew_calls, &(struct sim_options){0}, &e), -1);
    CHECK(strstr(e.text, "independent timers") != NULL);
}
