/* Runs of requested steps in which only those are looked up, beside the same runs with everything
 * listed at each step. */
#include "random_system.h"
#include "system.h"
#include "test.h"

enum { WANTS_MAX = 60, RUNS = 8 };

/* Steps that a system takes, to make wants of. */
struct pool {
    VEC(struct pick_operation) steps;
};

static void fill(struct pool *pool, struct world *w, struct plan p, struct prng *prng)
{
    struct execution x = {0};
    vec_clear(&pool->steps);
    for (uint32_t i = 0; i < RUNS; i++) {
        p.pick.strategy = PICK_RANDOM;
        p.pick.seed = prng_next(prng);
        p.steps_max = WANTS_MAX;
        system_run(w, &p, &x);
        vec_each (&x.steps, step) {
            vec_push(&pool->steps, step->operation);
        }
    }
    execution_release(&x);
}

/* Requests a part of the pool's steps, with some left out; sometimes any step. */
static uint32_t draw_wants(const struct pool *pool, struct prng *prng, struct pick_want *wants)
{
    const uint64_t first = prng_below(prng, pool->steps.count);
    const bool is_mixed = prng_below(prng, 3) == 0;
    const uint64_t match = prng_below(prng, PICK_NEWEST + 1);
    uint32_t count = 0;
    for (uint64_t i = first; i < pool->steps.count && count < WANTS_MAX; i++) {
        const struct pick_operation *o =
            &pool->steps.at[is_mixed ? prng_below(prng, pool->steps.count) : i];
        if (prng_below(prng, 4) != 0) {
            wants[count++] = (struct pick_want){.action = o->action,
                                                .content = o->content,
                                                .fault = o->fault,
                                                .match = (uint8_t)match,
                                                .is_unignorable = prng_below(prng, 40) == 0};
        }
    }
    return count;
}

static void check_equal(const struct execution *a, const struct execution *b)
{
    CHECK_INT(a->outcome, b->outcome);
    CHECK_TEXT(a->what, b->what);
    CHECK_TEXT(a->key, b->key);
    CHECK_INT(a->hash, b->hash);
    CHECK_INT(a->steps.count, b->steps.count);
    for (size_t i = 0; i < a->steps.count; i++) {
        CHECK_INT(a->steps.at[i].operation.name, b->steps.at[i].operation.name);
        CHECK_INT(a->steps.at[i].operation.content, b->steps.at[i].operation.content);
        CHECK_INT(a->steps.at[i].cause, b->steps.at[i].cause);
    }
}

/* How many steps there were in all. */
static uint64_t check_runs(struct world *w, const struct plan *common, struct prng *prng)
{
    struct pool pool = {0};
    struct execution quick = {0};
    struct execution whole = {0};
    uint64_t steps = 0;
    fill(&pool, w, *common, prng);
    for (uint32_t i = 0; i < RUNS && pool.steps.count > 0; i++) {
        struct pick_want wants[WANTS_MAX];
        struct plan p = *common;
        p.pick = (struct pick_plan){
            .wants = wants, .want_count = draw_wants(&pool, prng, wants), .seed = prng_next(prng)};
        system_run(w, &p, &quick);
        p.wants_pending = true;
        system_run(w, &p, &whole);
        check_equal(&quick, &whole);
        steps += quick.steps.count;
    }
    execution_release(&quick);
    execution_release(&whole);
    vec_release(&pool.steps);
    return steps;
}

/* Some system, with faults that the plan then allows or without. */
static struct world *open_any(struct prng *prng, bool has_faults, struct plan *p)
{
    struct err e = {.text = ""};
    const struct random_system_options o = {.has_timers = prng_below(prng, 2) == 0,
                                            .has_disk = prng_below(prng, 3) == 0,
                                            .can_fail = prng_below(prng, 2) == 0,
                                            .can_crash = prng_below(prng, 4) == 0};
    const char *faults = has_faults ? "crash=1,restart=1,drop=1,partition=1" : "none";
    CHECK_INT(fault_budget_parse(&p->faults, faults, &e), 0);
    const char *net = prng_below(prng, 2) == 0 ? "fifo" : "datagram";
    return system_open(random_system(prng, &o), net);
}

TEST(what_is_wanted_is_found_as_if_all_were_listed)
{
    struct prng prng;
    prng_init(&prng, 1);
    uint64_t steps = 0;
    for (uint64_t i = 0; i < test_count(300, 5000); i++) {
        struct plan p = {0};
        struct world *w = open_any(&prng, i % 2 != 0, &p);
        steps += check_runs(w, &p, &prng);
        world_close(w);
    }
    CHECK(steps > 1000);
}

/* Runs that leave something out of the same wants, as minimizing does, each beside the whole run.
 * How many steps were not taken again. */
static uint64_t check_alike(struct world *w, const struct plan *common, struct prng *prng)
{
    struct pool pool = {0};
    struct execution quick = {0};
    struct execution whole = {0};
    struct pick_want wants[WANTS_MAX];
    struct pick_want left[WANTS_MAX];
    uint64_t reused = 0;
    fill(&pool, w, *common, prng);
    const uint32_t count = pool.steps.count == 0 ? 0 : draw_wants(&pool, prng, wants);
    for (uint32_t i = 0; i < 3 * RUNS && count > 0; i++) {
        const uint32_t first = (uint32_t)prng_below(prng, count);
        const uint32_t end = first + (uint32_t)prng_below(prng, count - first) / 2;
        uint32_t left_count = 0;
        for (uint32_t k = 0; k < count; k++) {
            left[left_count] = wants[k];
            left[left_count].match = (uint8_t)(i % 3 == 0 ? PICK_NEWEST : PICK_SAME_OR_OLDEST);
            left_count += k < first || k > end;
        }
        struct plan p = *common;
        p.pick = (struct pick_plan){
            .wants = left, .want_count = left_count, .seed = prng_below(prng, 8) == 0};
        /* However many of them are said to be shared. */
        p.wants_kept = prng_below(prng, 4) == 0 ? (uint32_t)prng_below(prng, 100) : first;
        system_run(w, &p, &quick);
        p.wants_pending = true;
        system_run(w, &p, &whole);
        check_equal(&quick, &whole);
        CHECK_INT(whole.steps_reused, 0);
        reused += quick.steps_reused;
    }
    execution_release(&quick);
    execution_release(&whole);
    vec_release(&pool.steps);
    return reused;
}

TEST(runs_that_begin_alike_go_on_as_if_each_began_anew)
{
    struct prng prng;
    prng_init(&prng, 3);
    uint64_t reused = 0;
    for (uint64_t i = 0; i < test_count(200, 3000); i++) {
        struct plan p = {0};
        struct world *w = open_any(&prng, i % 2 != 0, &p);
        reused += check_alike(w, &p, &prng);
        world_close(w);
    }
    CHECK(reused > 300);
}

/* Timers that count in circles, of random lengths, and messages that start them again: if only
 * timers fire, the system soon rests. */

enum { NODES = 3 };
enum { PUSH };
enum { TICK, TOCK };

static struct {
    uint32_t rounds[NODES]; /* how far each counts */
    bool waits[NODES];      /* a push has it wait for another */
} drawn;

struct node {
    uint32_t count;
    uint32_t pushes;
};

static void ask(void)
{
    for (int i = 0; i < NODES; i++) {
        clew_request(i, PUSH, NULL, 0);
    }
}

static void begin(void *state)
{
    (void)state;
    clew_timer_set(TICK, 1);
    clew_timer_set(TOCK, 3);
}

static void pushed(void *state, const struct clew_message *m)
{
    struct node *node = state;
    (void)m;
    node->count = 0;
    if (++node->pushes < 4) {
        clew_send((clew_self() + 1) % NODES, PUSH, NULL, 0);
    }
    if (drawn.waits[clew_self()] && node->pushes == 2) {
        clew_await((clew_self() + NODES - 1) % NODES, PUSH);
    }
}

static void fired(void *state, int timer)
{
    struct node *node = state;
    const uint32_t rounds = drawn.rounds[clew_self()];
    node->count = (node->count + 1) % rounds;
    if (timer == TOCK && node->count == rounds - 1 && node->pushes < 2) {
        clew_send((clew_self() + 1) % NODES, PUSH, NULL, 0);
    }
    clew_timer_set(timer, timer == TICK ? 1 : 3);
}

static const char *const messages[] = {"push", NULL};
static const char *const timers[] = {"tick", "tock", NULL};
static const struct clew_system counters = {.version = CLEW_SIM_VERSION,
                                            .size = sizeof(struct clew_system),
                                            .name = "counters",
                                            .node_count = NODES,
                                            .messages = messages,
                                            .timers = timers,
                                            .state_size = sizeof(struct node),
                                            .setup = ask,
                                            .start = begin,
                                            .message = pushed,
                                            .timer = fired};

TEST(timers_rest_as_if_all_were_listed)
{
    struct prng prng;
    prng_init(&prng, 2);
    uint64_t steps = 0;
    uint64_t reused = 0;
    for (uint64_t i = 0; i < test_count(300, 5000); i++) {
        for (uint32_t k = 0; k < NODES; k++) {
            drawn.rounds[k] = 1 + (uint32_t)prng_below(&prng, 3);
            drawn.waits[k] = prng_below(&prng, 6) == 0;
        }
        struct world *w = system_open(&counters, prng_below(&prng, 2) == 0 ? "fifo" : "datagram");
        steps += check_runs(w, &(struct plan){0}, &prng);
        reused += check_alike(w, &(struct plan){0}, &prng);
        world_close(w);
    }
    CHECK(steps > 10000);
    CHECK(reused > 1000);
}
