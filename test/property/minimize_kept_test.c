/* What every candidate and every result keeps: the order of channels, and atoms of faults. */
#include "minimize/minimize.h"
#include "pick/name.h"
#include "random_system.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

/* Channels: every best so far delivers the messages of a channel in the order they were sent. */

/* The last delivery on a channel: which step sent it, counted from 1, 0 being before all. */
struct last {
    uint32_t task;
    uint32_t sent_at;
};

static uint32_t sent_at(const struct step *step)
{
    return step->cause == STEP_NONE ? 0 : step->cause + 1;
}

static void check_channels(const struct execution *x)
{
    VEC(struct last) lasts = {0};
    for (size_t i = 0; i < x->steps.count; i++) {
        const struct step *step = &x->steps.at[i];
        if (step->operation.kind != EVENT_RECV) {
            continue;
        }
        struct last *known = NULL;
        vec_each (&lasts, l) {
            known = l->task == step->operation.task ? l : known;
        }
        CHECK(known == NULL || known->sent_at <= sent_at(step));
        if (known != NULL) {
            known->sent_at = sent_at(step);
        } else {
            vec_push(&lasts, (struct last){.task = step->operation.task, .sent_at = sent_at(step)});
        }
        for (size_t k = 0; k < i; k++) {
            const struct pick_operation *o = &x->steps.at[k].operation;
            CHECK(o->kind != EVENT_RECV || o->action != step->operation.action ||
                  o->occurrence < step->operation.occurrence);
        }
    }
    vec_release(&lasts);
}

static int watch_channels(void *context, const struct plan *p, const struct execution *best,
                          struct err *e)
{
    uint32_t *count = context;
    (void)p;
    (void)e;
    ++*count;
    check_channels(best);
    return 0;
}

/* A run that breaks, by chance; false when none comes. */
static bool break_by_chance(struct world *w, struct plan *p, struct prng *prng)
{
    struct execution x = {0};
    bool is_broken = false;
    for (uint32_t i = 0; i < 100 && !is_broken; i++) {
        p->pick = (struct pick_plan){.strategy = PICK_RANDOM, .seed = prng_next(prng)};
        system_run(w, p, &x);
        is_broken = x.outcome == OUTCOME_PROPERTY;
    }
    execution_release(&x);
    return is_broken;
}

TEST(nothing_overtakes_on_a_channel_that_is_fifo)
{
    struct prng prng;
    struct err e = {.text = ""};
    prng_init(&prng, 1);
    uint32_t bests = 0;
    for (uint64_t i = 0; i < test_count(200, 3000); i++) {
        const struct random_system_options o = {.has_timers = prng_below(&prng, 2) == 0,
                                                .can_fail = true};
        struct plan p = {0};
        struct world *w = system_open(random_system(&prng, &o), "fifo");
        CHECK_INT(fault_budget_parse(&p.faults, i % 2 == 0 ? "none" : "drop=1,crash=1", &e), 0);
        if (break_by_chance(w, &p, &prng)) {
            struct minimized m;
            const struct minimize_options options = {.is_stopped = &never,
                                                     .stages = (1u << STAGE_ANEW) - 1,
                                                     .better = watch_channels,
                                                     .context = &bests};
            CHECK_INT(minimize(w, &p, &options, &m, &e), 0);
            minimized_release(&m);
        }
        world_close(w);
    }
    CHECK(bests > 60);
}

/* Atoms: a world that does whatever is wanted, and sees what was. Its run breaks if all of some
 * steps have come. */

enum { STEPS_MAX = 24, NODES = 3 };

struct told {
    struct world world;
    struct pick_operation steps[STEPS_MAX];
    uint32_t count;
    uint32_t partner_of[STEPS_MAX]; /* of a step: the other one of its atom, or itself */
    uint32_t needed;                /* a bit each */
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
        t->needed |= prng_below(prng, 6) == 0 ? UINT32_C(1) << i : 0;
    }
}

TEST(crash_and_restart_go_or_stay_together)
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
        uint32_t wanted = 0; /* what is needed with the rest of its atoms, and nothing else */
        for (uint32_t k = 0; k < STEPS_MAX && k < t.count; k++) {
            const uint32_t is_needed = t.needed >> k & 1;
            wanted |= is_needed << k | is_needed << t.partner_of[k];
        }
        CHECK_INT(left, wanted);
        candidates += t.candidates;
        minimized_release(&m);
    }
    CHECK(candidates > 1000);
}
