/* Properties of every candidate and every result: the order of channels, and atoms of faults. */
#include "base/map.h"
#include "minimize/minimize.h"
#include "pick/operation_name.h"
#include "random_system.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

/* Channels: in every best run so far, each channel delivers in the order of sending. */

struct told_bests {
    struct world *world;
    VEC(struct recipe) recipes;
};

static int keep_best(void *context, const struct plan *p, const struct execution *best,
                     struct err *e)
{
    struct told_bests *bests = context;
    struct recipe r = {0};
    (void)e;
    system_recipe(bests->world, p, best, &r);
    vec_push(&bests->recipes, r);
    return 0;
}

/* Which of all that was sent through the channel before event `end` is the message, from 0. */
static size_t place_in_channel(const struct trace *t, size_t end)
{
    const struct event *received = &t->events.at[end];
    size_t sent = 0;
    for (size_t i = 0; i < end; i++) {
        const struct event *e = &t->events.at[i];
        const bool is_sent = e->kind == EVENT_SEND && e->object == received->object;
        if (is_sent && e->message == received->message) {
            return sent;
        }
        sent += is_sent;
    }
    fail_msg("event %zu: what comes was not sent before", end);
    return 0;
}

/* Each delivery is next to the one before it; where messages may be lost, it is behind it. */
static void check_channels(const struct trace *t, bool is_lossy)
{
    struct map next_of = {0}; /* a channel's */
    for (size_t i = 0; i < t->events.count; i++) {
        if (t->events.at[i].kind == EVENT_RECV) {
            uint32_t *next = map_slot(&next_of, t->events.at[i].object, 0, NULL);
            const size_t place = place_in_channel(t, i);
            CHECK(is_lossy ? place >= *next : place == *next);
            *next = (uint32_t)place + 1;
        }
    }
    map_release(&next_of);
}

/* Checks all bests and forgets them; how many there were. */
static size_t check_bests(struct told_bests *bests, bool is_lossy)
{
    const size_t count = bests->recipes.count;
    struct execution x = {0};
    vec_each (&bests->recipes, r) {
        struct trace t;
        trace_init(&t);
        r->plan.trace = &t;
        system_run(bests->world, &r->plan, &x);
        CHECK(outcome_is_violation(x.outcome));
        check_channels(&t, is_lossy);
        trace_release(&t);
        recipe_release(r);
    }
    execution_release(&x);
    vec_release(&bests->recipes);
    return count;
}

TEST(nothing_overtakes_on_a_channel_that_is_fifo)
{
    struct prng prng;
    struct err e = {.text = ""};
    struct execution x = {0};
    prng_init(&prng, 1);
    size_t best_count = 0;
    for (uint64_t i = 0; i < test_count(200, 3000); i++) {
        const bool is_lossy = i % 2 == 1;
        const struct random_system_options o = {.has_timers = prng_below(&prng, 2) == 0,
                                                .can_fail = true};
        struct plan p = {0};
        struct told_bests bests = {.world = system_open(random_system(&prng, &o), "fifo")};
        CHECK_INT(fault_budget_parse(&p.faults, is_lossy ? "drop=1,crash=1" : "none", &e), 0);
        if (system_break(bests.world, &p, &prng, &x)) {
            struct minimized m;
            const struct minimize_options options = {.is_stopped = &never,
                                                     .stages = (1u << STAGE_ANEW) - 1,
                                                     .better = keep_best,
                                                     .context = &bests};
            CHECK_INT(minimize(bests.world, &p, &options, &m, &e), 0);
            minimized_release(&m);
            best_count += check_bests(&bests, is_lossy);
        }
        world_close(bests.world);
    }
    execution_release(&x);
    CHECK(best_count > 60);
}

/* Without divergence: in no best does a node change as it never did in the first run. */

static void list_transitions(struct world *w, const struct plan *p, struct map *transitions)
{
    struct execution x = {0};
    struct plan wants = *p;
    wants.wants_transitions = true;
    system_run(w, &wants, &x);
    vec_each (&x.steps, step) {
        map_put(transitions, step->transition, 1);
    }
    execution_release(&x);
}

/* How many of all changes in the bests were not in the first run. */
static uint32_t count_unknown(struct world *w, const struct plan *p, bool no_diverge)
{
    struct told_bests bests = {.world = w};
    struct minimized m;
    struct err e = {.text = ""};
    struct map known = {0};
    uint32_t unknown = 0;
    const struct minimize_options o = {
        .is_stopped = &never, .no_diverge = no_diverge, .better = keep_best, .context = &bests};
    list_transitions(w, p, &known);
    CHECK_INT(minimize(w, p, &o, &m, &e), 0);
    vec_each (&bests.recipes, r) {
        struct map changes = {0};
        list_transitions(w, &r->plan, &changes);
        vec_each (&changes.entries, change) {
            unknown += map_get(&known, change->key) == NULL;
        }
        map_release(&changes);
        recipe_release(r);
    }
    vec_release(&bests.recipes);
    map_release(&known);
    minimized_release(&m);
    return unknown;
}

TEST(without_divergence_nodes_change_as_in_the_first_run)
{
    struct prng prng;
    struct execution x = {0};
    prng_init(&prng, 3);
    uint32_t unknown = 0;
    for (uint64_t i = 0; i < test_count(100, 1000); i++) {
        const struct random_system_options o = {.has_timers = true, .can_fail = true};
        struct plan p = {0};
        struct world *w = system_open(random_system(&prng, &o), "datagram");
        if (system_break(w, &p, &prng, &x)) {
            CHECK_INT(count_unknown(w, &p, true), 0);
            unknown += count_unknown(w, &p, false);
        }
        world_close(w);
    }
    execution_release(&x);
    CHECK(unknown > 2);
}

/* Atoms: a world that executes whatever is requested, and records it. Its run breaks if all of some
 * steps have occurred. */

enum { STEPS_MAX = 24, NODES = 3 };

struct told {
    struct world world;
    struct pick_operation steps[STEPS_MAX];
    uint32_t count;
    uint32_t partner_of[STEPS_MAX]; /* of a step: the other one of its atom, or itself */
    uint32_t needed;                /* a bit each */
    uint32_t unignorable;           /* likewise */
    uint32_t candidates;
};

static uint32_t index_of(const struct told *t, uint64_t action)
{
    uint32_t i = 0;
    while (t->steps[i].action != action) {
        i++;
    }
    return i;
}

static void take(const struct told *t, uint32_t index, uint32_t *taken, struct execution *x)
{
    *taken |= UINT32_C(1) << index;
    vec_push(&x->steps, (struct step){.operation = t->steps[index], .cause = STEP_NONE});
    x->hash = name_mix(x->hash, t->steps[index].name);
    x->outcome = (*taken & t->needed) == t->needed ? OUTCOME_PROPERTY : OUTCOME_LIMIT;
}

static void check_atoms(struct told *t, const struct pick_plan *p)
{
    uint32_t wanted = 0;
    for (size_t i = 0; i < p->want_count; i++) {
        wanted |= UINT32_C(1) << index_of(t, p->wants[i].action);
    }
    t->candidates++;
    CHECK_INT(wanted & t->unignorable, t->unignorable);
    for (uint32_t i = 0; i < t->count; i++) {
        CHECK_INT(wanted >> i & 1, wanted >> t->partner_of[i] & 1);
    }
}

static int run_told(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    struct told *t = (struct told *)w;
    uint32_t taken = 0;
    (void)e;
    x->outcome = t->needed == 0 ? OUTCOME_PROPERTY : OUTCOME_LIMIT;
    if (p->pick.wants != NULL) {
        check_atoms(t, &p->pick);
        for (size_t i = 0; i < p->pick.want_count; i++) {
            take(t, index_of(t, p->pick.wants[i].action), &taken, x);
        }
    } else {
        const size_t count =
            p->pick.turn_count == 0 && p->steps_max == 0 ? t->count : p->pick.turn_count;
        for (uint32_t i = 0; i < count; i++) {
            take(t, p->pick.turn_count == 0 ? i : index_of(t, p->pick.turns[i].name), &taken, x);
        }
    }
    return 0;
}

static const struct world_ops told_ops = {.name = "told", .run = run_told};

/* Deliveries, and crashes and partitions of nodes, some of them undone later. */
static void draw_steps(struct told *t, struct prng *prng)
{
    uint32_t open[NODES][2]; /* the crash or partition that is not undone, plus one */
    memset(open, 0, sizeof open);
    *t = (struct told){.world.ops = &told_ops};
    t->count = 4 + (uint32_t)prng_below(prng, STEPS_MAX - 4);
    for (uint32_t i = 0; i < t->count; i++) {
        const uint32_t node = (uint32_t)prng_below(prng, NODES);
        const uint32_t kind = (uint32_t)prng_below(prng, 4);
        struct pick_operation *o = &t->steps[i];
        *o = (struct pick_operation){.name = i + 1, .action = i + 1, .node = (uint16_t)node};
        t->partner_of[i] = i;
        if (kind < 2) {
            static const uint8_t faults[2][2] = {{FAULT_CRASH, FAULT_RESTART},
                                                 {FAULT_PARTITION, FAULT_HEAL}};
            uint32_t *first = &open[node][kind];
            o->fault = faults[kind][*first != 0];
            if (*first != 0) {
                t->partner_of[i] = *first - 1;
                t->partner_of[*first - 1] = i;
            }
            *first = *first == 0 ? i + 1 : 0;
        }
        o->is_external = o->fault != 0 || kind == 2;
        o->is_unignorable = kind == 3 && prng_below(prng, 6) == 0;
        t->unignorable |= (uint32_t)o->is_unignorable << i;
        t->needed |= prng_below(prng, 6) == 0 ? UINT32_C(1) << i : 0;
    }
}

TEST(crash_and_restart_go_or_stay_together_and_what_may_not_be_ignored_stays)
{
    struct prng prng;
    struct err e = {.text = ""};
    prng_init(&prng, 2);
    const uint32_t by_chance =
        1u << STAGE_SHORTCUTS | 1u << STAGE_TAILS | 1u << STAGE_ANEW | 1u << STAGE_DRIFT;
    const struct minimize_options options = {.is_stopped = &never,
                                             .stages = ((1u << STAGE_COUNT) - 1) & ~by_chance};
    uint64_t candidates = 0;
    for (uint64_t i = 0; i < test_count(100, 3000); i++) {
        struct told t;
        struct minimized m;
        draw_steps(&t, &prng);
        CHECK_INT(minimize(&t.world, &(struct plan){0}, &options, &m, &e), 0);
        uint32_t left = 0;
        vec_each (&m.best.steps, step) {
            left |= UINT32_C(1) << (step->operation.name - 1);
        }
        uint32_t wanted = t.unignorable; /* and the steps needed with the rest of their atoms */
        for (uint32_t k = 0; k < STEPS_MAX && k < t.count; k++) {
            const uint32_t is_needed = t.needed >> k & 1;
            wanted |= is_needed << k | is_needed << t.partner_of[k];
        }
        CHECK_INT(left, wanted);
        bool has_atoms = false;
        for (uint32_t k = 0; k < STEPS_MAX && k < t.count; k++) {
            has_atoms = has_atoms || ((left >> k & 1) != 0 && t.partner_of[k] != k);
        }
        CHECK_INT(m.has_atoms, has_atoms);
        candidates += t.candidates;
        minimized_release(&m);
    }
    CHECK(candidates > 1000);
}
