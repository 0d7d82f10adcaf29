/* The list of pending operations, which is followed from step to step, is the one that is made
 * anew: restoring a checkpoint makes it so. Random systems do all that changes it. */
#include "base/mem.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"
#include "wire/prng.h"

enum { NODES = 4, SENDS_MAX = 3, STEPS = 120 };
static const char *const messages[] = {"first", "second", NULL};
static const char *const timers[] = {"a", "b", "c", NULL};
static const char *const helpers[] = {"one", "two", NULL};

/* What handlers of the system do, of so many in a hundred. */
static struct habits {
    uint32_t sends, sets, writes, helps, awaits;
} habits;

static bool is_time_to(uint32_t percent)
{
    return clew_random(100) < percent;
}

static void act(void)
{
    for (int i = 0; i < SENDS_MAX && is_time_to(habits.sends); i++) {
        const uint64_t what = clew_random(3);
        clew_send((int)clew_random(NODES), (int)clew_random(2), &what, sizeof what);
    }
    for (int i = 0; i < 2 && is_time_to(habits.sets); i++) {
        clew_timer_set((int)clew_random(3), 1 + clew_random(4));
    }
    if (is_time_to(habits.sets / 2)) {
        clew_timer_cancel((int)clew_random(3));
    }
    if (is_time_to(habits.writes)) {
        const uint64_t what = clew_random(3);
        (void)clew_disk_write(clew_random(8), &what, sizeof what);
    }
    if (is_time_to(habits.helps)) {
        clew_help((int)clew_random(2), NULL, 0);
    }
    if (is_time_to(habits.awaits)) {
        clew_await((int)clew_random(NODES), (int)clew_random(2));
    }
}

static void start(void *state)
{
    (void)state;
    clew_timer_set(0, 1 + clew_random(4));
    act();
}

static void receive(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    act();
}

static void fire(void *state, int timer)
{
    (void)state;
    if (timer == 2) { /* which rests after that */
        clew_timer_set(2, 1);
        return;
    }
    act();
}

static void end_write(void *state, uint32_t ticket, bool is_failed)
{
    (void)state;
    (void)ticket;
    (void)is_failed;
    act();
}

static void help(int helper, const void *bytes, size_t size)
{
    (void)helper;
    (void)bytes;
    (void)size;
}

static const struct clew_system busy = {.version = CLEW_SIM_VERSION,
                                        .size = sizeof(struct clew_system),
                                        .name = "busy",
                                        .node_count = NODES,
                                        .messages = messages,
                                        .timers = timers,
                                        .helpers = helpers,
                                        .state_size = 1,
                                        .disk_size = 16,
                                        .start = start,
                                        .message = receive,
                                        .timer = fire,
                                        .written = end_write,
                                        .help = help};

static bool is_same(const struct pick_operation *a, const struct pick_operation *b)
{
    return a->name == b->name && a->action == b->action && a->content == b->content &&
           a->place == b->place && a->task == b->task && a->objects[0] == b->objects[0] &&
           a->objects[1] == b->objects[1] && a->kind == b->kind && a->node == b->node &&
           a->writes == b->writes && a->fault == b->fault && a->fault_bound == b->fault_bound &&
           a->is_external == b->is_external && a->is_unignorable == b->is_unignorable &&
           a->is_overtaking == b->is_overtaking && a->occurrence == b->occurrence;
}

static void check_list(struct world *w)
{
    static struct pick_operation followed[1 << 14];
    const struct pick_operation *pending = NULL;
    const uint32_t count = w->ops->pending(w, &pending);
    memcpy(followed, pending, count * sizeof *followed);
    void *copy = w->ops->checkpoint(w);
    w->ops->restore(w, copy);
    mem_free(copy);
    CHECK_INT(w->ops->pending(w, &pending), count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(is_same(&followed[i], &pending[i]));
    }
}

/* Takes random steps, and looks at the list after every few: what is wrong stays in a list that is
 * followed. */
static void run_by_hand(struct world *w, const struct plan *p, struct prng *prng)
{
    struct execution x = {0};
    const struct pick_operation *pending = NULL;
    w->ops->begin(w, p, &x);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t count = w->ops->pending(w, &pending);
        if (count == 0 || !w->ops->step(w, (uint32_t)prng_below(prng, count), &x)) {
            break;
        }
        if (prng_below(prng, 8) == 0) {
            check_list(w);
        }
    }
    execution_release(&x);
}

static struct fault_budget draw_faults(struct prng *prng)
{
    struct fault_budget b = {0};
    const bool is_any = prng_below(prng, 2) == 0;
    for (uint32_t i = 0; i < FAULT_LIMIT; i++) {
        b.most[i] = (uint16_t)(is_any && prng_below(prng, 4) == 0);
    }
    return b;
}

TEST(a_list_that_is_followed_is_the_one_made_anew)
{
    struct prng prng;
    prng_init(&prng, 23);
    for (uint32_t i = 0; i < 400; i++) {
        struct clew_system system = busy;
        const bool is_plain = i % 2 == 0; /* most systems write, help and wait for nothing */
        habits = (struct habits){.sends = 20 + (uint32_t)prng_below(&prng, 60),
                                 .sets = 20 + (uint32_t)prng_below(&prng, 60),
                                 .writes = is_plain ? 0 : (uint32_t)prng_below(&prng, 15),
                                 .helps = is_plain ? 0 : (uint32_t)prng_below(&prng, 15),
                                 .awaits = is_plain ? 0 : (uint32_t)prng_below(&prng, 5)};
        system.timers_independent = prng_below(&prng, 4) == 0;
        static const uint32_t skew_max = 3;
        if (!system.timers_independent && prng_below(&prng, 8) == 0) {
            system.clock_skew_max = &skew_max;
        }
        struct world *w = system_open(&system, prng_below(&prng, 8) == 0 ? "datagram" : NULL);
        const struct plan p = {.pick.seed = prng_next(&prng), .faults = draw_faults(&prng)};
        run_by_hand(w, &p, &prng);
        world_close(w);
    }
}
