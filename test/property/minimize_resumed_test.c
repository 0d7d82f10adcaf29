/* Minimization where runs that begin alike go on from points of those before, beside the same with
 * every run made as a whole. */
#include "minimize/minimize.h"
#include "random_system.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

/* Runs as a whole: a run whose states are asked for does not go on from another. */
static struct {
    const struct world_ops *plain;
    struct world_ops whole;
} ops;

static int run_whole(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    struct plan whole = *p;
    whole.wants_states = true;
    return ops.plain->run(w, &whole, x, e);
}

static void reduce(struct world *w, const struct plan *p, uint32_t jobs, struct minimized *m)
{
    struct err e = {.text = ""};
    const struct minimize_options o = {.same = SAME_RENAMED,
                                       .budget = {.runs = 3000},
                                       .jobs = jobs,
                                       .keeps_checkpoints = true,
                                       .is_stopped = &never};
    if (minimize(w, p, &o, m, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

static void check_equal(const struct minimized *a, const struct minimized *b)
{
    CHECK_INT(a->best.hash, b->best.hash);
    CHECK_INT(a->best.steps.count, b->best.steps.count);
    CHECK_TEXT(a->best.what, b->best.what);
    CHECK_INT(a->replays, b->replays);
    CHECK_INT(a->steps, b->steps);
    CHECK_INT(a->proof, b->proof);
    for (int i = 0; i <= STAGE_COUNT; i++) {
        CHECK_INT(a->stages[i].replays, b->stages[i].replays);
        CHECK_INT(a->stages[i].steps, b->stages[i].steps);
        CHECK_INT(a->stages[i].bytes, b->stages[i].bytes);
    }
}

/* Minimizes both ways; how many steps were not taken again. */
static uint64_t check_twins(struct world *w, const struct plan *p)
{
    struct minimized resumed = {0};
    struct minimized whole = {0};
    reduce(w, p, 1, &resumed);
    ops.plain = w->ops;
    ops.whole = *w->ops;
    ops.whole.run = run_whole;
    w->ops = &ops.whole;
    reduce(w, p, 1, &whole);
    w->ops = ops.plain;
    check_equal(&resumed, &whole);
    CHECK_INT(whole.steps_reused, 0);
    const uint64_t reused = resumed.steps_reused;
    minimized_release(&resumed);
    minimized_release(&whole);
    return reused;
}

TEST(what_is_found_is_the_same_as_by_whole_runs)
{
    struct prng prng;
    struct execution x = {0};
    prng_init(&prng, 1);
    for (uint64_t i = 0; i < test_count(40, 1000); i++) {
        const struct random_system_options o = {.has_timers = prng_below(&prng, 2) == 0,
                                                .has_disk = prng_below(&prng, 3) == 0,
                                                .can_fail = true};
        struct plan p = {.faults.most[FAULT_CRASH] = i % 2, .faults.most[FAULT_RESTART] = i % 2};
        struct world *w =
            system_open(random_system(&prng, &o), prng_below(&prng, 2) == 0 ? "fifo" : "datagram");
        if (system_break(w, &p, &prng, &x)) {
            (void)check_twins(w, &p);
        }
        world_close(w);
    }
    execution_release(&x);
}

/* Runs of some hundred steps, few of which matter: pushes are passed on, and timers count. */

enum { NODES = 3, PUSHES = 30 };
enum { PUSH, PASS };

struct node {
    uint32_t pushes, passes, ticks;
};

static void ask(void)
{
    for (int i = 0; i < NODES * PUSHES; i++) {
        clew_request(i % NODES, PUSH, &i, sizeof i);
    }
}

static void begin(void *state)
{
    (void)state;
    clew_timer_set(0, 1);
}

static void take(void *state, const struct clew_message *m)
{
    struct node *node = state;
    node->pushes += m->type == PUSH;
    node->passes += m->type == PASS;
    if (m->type == PUSH || node->passes % 3 == 0) {
        clew_send((clew_self() + 1 + (int)clew_random(2)) % NODES, PASS, m->bytes, m->size);
    }
}

static void tick(void *state, int timer)
{
    struct node *node = state;
    node->ticks = (node->ticks + 1) % 7;
    clew_timer_set(timer, 1);
}

static bool holds(const struct clew_view *view)
{
    const struct node *a = view->states[0];
    const struct node *b = view->states[1];
    const struct node *c = view->states[2];
    return a->pushes < 5 || b->passes != a->passes + 2 || c->ticks != 5;
}

static const char *const messages[] = {"push", "pass", NULL};
static const char *const timers[] = {"tick", NULL};
static const struct clew_property properties[] = {{.name = "balance", .holds = holds}, {0}};
static const struct clew_system pushing = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "pushing",
                                           .node_count = NODES,
                                           .messages = messages,
                                           .timers = timers,
                                           .state_size = sizeof(struct node),
                                           .properties = properties,
                                           .setup = ask,
                                           .start = begin,
                                           .message = take,
                                           .timer = tick};

TEST(longer_runs_go_on_from_points)
{
    struct prng prng;
    struct execution x = {0};
    prng_init(&prng, 2);
    uint64_t reused = 0;
    for (uint64_t i = 0; i < test_count(6, 100); i++) {
        struct world *w = system_open(&pushing, i % 2 == 0 ? "fifo" : "datagram");
        struct plan p = {0};
        CHECK(system_break(w, &p, &prng, &x));
        reused += check_twins(w, &p);
        world_close(w);
    }
    execution_release(&x);
    CHECK(reused > 10000);
}

/* Each goes on from points of its own. */
TEST(with_several_processes_it_is_the_same)
{
    struct prng prng;
    struct execution x = {0};
    prng_init(&prng, 3);
    for (uint64_t i = 0; i < test_count(4, 60); i++) {
        struct world *w = system_open(&pushing, i % 2 == 0 ? "fifo" : "datagram");
        struct plan p = {0};
        struct minimized alone = {0};
        CHECK(system_break(w, &p, &prng, &x));
        reduce(w, &p, 1, &alone);
        for (uint32_t jobs = 2; jobs <= 3; jobs++) {
            struct minimized together = {0};
            reduce(w, &p, jobs, &together);
            check_equal(&alone, &together);
            minimized_release(&together);
        }
        minimized_release(&alone);
        world_close(w);
    }
    execution_release(&x);
}
