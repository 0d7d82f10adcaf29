/* Minimization beside the slow twin that looks at every execution, on small random systems. */
#include "minimize/minimize.h"

#include "exhaust.h"
#include "random_system.h"
#include "system.h"
#include "test.h"

enum { EXECUTIONS_MAX = 20000, RUNS_MAX = 200 };

static volatile sig_atomic_t never;

/* A random system, a run of it that breaks, and how short such a run can be. */
struct trial {
    struct world *world;
    struct plan plan;
    uint64_t shortest;
    struct execution run;
};

/* A violating run of the system, by chance; false when none came. */
static bool break_by_chance(struct trial *t, struct prng *prng)
{
    for (uint32_t i = 0; i < RUNS_MAX; i++) {
        t->plan.pick = (struct pick_plan){.strategy = PICK_RANDOM, .seed = prng_next(prng)};
        system_run(t->world, &t->plan, &t->run);
        if (t->run.outcome == OUTCOME_PROPERTY) {
            return true;
        }
    }
    return false;
}

static void trial_end(struct trial *t)
{
    execution_release(&t->run);
    world_close(t->world);
}

static void trial_begin(struct trial *t, struct prng *prng, const char *faults)
{
    struct err e = {.text = ""};
    while (true) {
        const struct random_system_options o = {.has_timers = prng_below(prng, 2) == 0,
                                                .has_disk = prng_below(prng, 3) == 0,
                                                .can_fail = true};
        const char *net = prng_below(prng, 2) == 0 ? "fifo" : "datagram";
        struct exhausted all = {0};
        *t = (struct trial){.world = system_open(random_system(prng, &o), net)};
        CHECK_INT(fault_budget_parse(&t->plan.faults, faults, &e), 0);
        exhaust(t->world, &t->plan, EXECUTIONS_MAX, &all);
        t->shortest = all.shortest;
        const bool is_good = !all.is_too_much && all.shortest > 0;
        exhausted_release(&all);
        if (is_good && break_by_chance(t, prng)) {
            return;
        }
        trial_end(t);
    }
}

/* What is tried is what is on the disk: each better one is a run that was repeated. */
struct watched {
    uint32_t steps; /* of the last */
};

static int watch(void *context, const struct plan *p, const struct execution *best, struct err *e)
{
    struct watched *w = context;
    (void)p;
    (void)e;
    CHECK(outcome_is_violation(best->outcome));
    CHECK(w->steps == 0 || best->steps.count <= w->steps);
    w->steps = (uint32_t)best->steps.count;
    return 0;
}

static void reduce(const struct trial *t, uint32_t stages, struct minimized *m)
{
    struct err e = {.text = ""};
    struct watched watched = {0};
    const struct minimize_options o = {.same = SAME_KIND,
                                       .stages = stages,
                                       .keeps_checkpoints = true,
                                       .is_stopped = &never,
                                       .better = watch,
                                       .context = &watched};
    if (minimize(t->world, &t->plan, &o, m, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

/* The steps of an execution by their names, as a plan says them. */
struct told {
    struct plan plan;
    VEC(struct pick_turn) turns;
    VEC(struct pick_want) wants;
};

static void check_replays(const struct trial *t, const struct minimized *m)
{
    struct told told = {.plan = m->plan};
    struct execution x = {0};
    for (uint32_t i = 0; i < m->best.steps.count; i++) {
        vec_push(&told.turns,
                 (struct pick_turn){.name = m->best.steps.at[i].operation.name, .step = i});
    }
    told.plan.pick.turns = told.turns.at;
    told.plan.pick.turn_count = told.turns.count;
    system_run(t->world, &told.plan, &x);
    CHECK_INT(x.outcome, OUTCOME_PROPERTY);
    CHECK_INT(x.hash, m->best.hash);
    CHECK_INT(x.steps.count, m->best.steps.count);
    execution_release(&x);
    vec_release(&told.turns);
}

/* No step can go, whichever way the others are found again. */
static void check_minimal(const struct trial *t, const struct minimized *m)
{
    struct execution x = {0};
    for (uint32_t out = 0; out < m->best.steps.count; out++) {
        for (int match = PICK_SAME; match <= PICK_NEWEST; match++) {
            struct told told = {.plan = m->plan};
            for (uint32_t i = 0; i < m->best.steps.count; i++) {
                const struct pick_operation *o = &m->best.steps.at[i].operation;
                if (i != out) {
                    vec_push(&told.wants, (struct pick_want){.action = o->action,
                                                             .content = o->content,
                                                             .fault = o->fault,
                                                             .match = (uint8_t)match});
                }
            }
            told.plan.pick.wants = told.wants.at;
            told.plan.pick.want_count = told.wants.count;
            system_run(t->world, &told.plan, &x);
            CHECK(told.wants.count == 0 || x.outcome != OUTCOME_PROPERTY);
            vec_release(&told.wants);
        }
    }
    execution_release(&x);
}

/* Each replay is of a stage, but the first two, of the schedule as it was and that it repeats, and
 * ten of the result where something is claimed of it. What the stages changed leads from what was
 * given to the result. */
static void check_account(const struct minimized *m)
{
    struct stage_account all = {0};
    for (int i = 0; i < STAGE_COUNT; i++) {
        all.replays += m->stages[i].replays;
        all.steps += m->stages[i].steps;
        all.externals += m->stages[i].externals;
        CHECK(m->stages[i].was_run || m->stages[i].replays == 0);
    }
    CHECK_INT(m->given_replays, 2);
    CHECK_INT(m->stages[STAGE_NONE].replays, m->proof == PROOF_NONE ? 2 : 12);
    CHECK_INT(m->stages[STAGE_NONE].steps, 0);
    CHECK_INT(m->replays, all.replays + m->stages[STAGE_NONE].replays);
    CHECK_INT(m->initial_steps + all.steps, m->best.steps.count);
    CHECK_INT(m->initial_externals + all.externals, m->final_externals);
    CHECK_INT(m->final_externals, minimize_externals(&m->best));
    CHECK_INT(m->stopped_by, LIMIT_OPEN);
    CHECK(!m->is_flaky);
}

static void check_results(const char *faults, uint64_t seed, uint64_t count)
{
    struct prng prng;
    prng_init(&prng, seed);
    uint64_t optimal = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        struct minimized m;
        trial_begin(&t, &prng, faults);
        reduce(&t, 0, &m);
        check_account(&m);
        check_replays(&t, &m);
        check_minimal(&t, &m);
        if (m.best.steps.count < t.shortest ||
            (m.proof == PROOF_OPTIMAL && m.best.steps.count != t.shortest)) {
            fail_msg("system %llu, %s, from %u steps: %zu are said to be the least, and %llu are",
                     (unsigned long long)i, t.world->net, m.initial_steps, m.best.steps.count,
                     (unsigned long long)t.shortest);
        }
        optimal += m.proof == PROOF_OPTIMAL;
        minimized_release(&m);
        trial_end(&t);
    }
    CHECK(optimal > count / 2);
}

TEST(what_is_said_to_be_optimal_is)
{
    check_results("none", 1, test_count(120, 3000));
}

TEST(what_is_said_to_be_optimal_is_with_faults)
{
    check_results("drop=1", 2, test_count(40, 500));
    check_results("crash=1,restart=1", 3, test_count(40, 500));
}

/* The exact finish alone, from runs with messages that may not be ignored. */
TEST(what_may_not_be_ignored_stays_in_the_exact_finish)
{
    struct prng prng;
    prng_init(&prng, 8);
    uint64_t told_apart = 0;
    for (uint64_t i = 0; i < test_count(400, 3000); i++) {
        const struct random_system_options o = {
            .has_timers = prng_below(&prng, 2) == 0, .can_fail = true, .has_unignorable = true};
        const char *net = prng_below(&prng, 2) == 0 ? "fifo" : "datagram";
        struct trial t = {.world = system_open(random_system(&prng, &o), net)};
        struct exhausted any = {0};
        struct exhausted all = {.like = &t.run};
        struct minimized m = {0};
        if (break_by_chance(&t, &prng)) {
            exhaust(t.world, &(struct plan){0}, EXECUTIONS_MAX, &any);
            exhaust(t.world, &(struct plan){0}, EXECUTIONS_MAX, &all);
            reduce(&t, 1u << STAGE_EXACT, &m);
            CHECK(m.best.steps.count <= t.run.steps.count);
            if (m.proof == PROOF_OPTIMAL && !all.is_too_much) {
                CHECK_INT(m.best.steps.count, all.shortest);
                told_apart += all.shortest > any.shortest;
            }
        }
        minimized_release(&m);
        exhausted_release(&any);
        exhausted_release(&all);
        trial_end(&t);
    }
    CHECK(told_apart > 5);
}

/* Without the exact finish: how far from the least is the rest? */
TEST(without_the_exact_finish_little_is_left)
{
    struct prng prng;
    prng_init(&prng, 4);
    const uint64_t count = test_count(100, 1000);
    uint64_t least = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        struct minimized m;
        trial_begin(&t, &prng, "none");
        reduce(&t, (1u << STAGE_EXACT) - 1, &m);
        check_replays(&t, &m);
        CHECK_INT(m.proof, PROOF_MINIMAL);
        least += m.best.steps.count == t.shortest;
        minimized_release(&m);
        trial_end(&t);
    }
    CHECK(least > count / 2);
}

/* Each of the stages that leave the best for another execution, alone. */
TEST(what_a_walk_or_another_run_comes_to_can_be_replayed)
{
    static const enum stage stages[] = {STAGE_DRIFT, STAGE_ANEW, STAGE_TAILS};
    struct prng prng;
    prng_init(&prng, 7);
    const uint64_t count = test_count(60, 600);
    uint64_t shorter = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        struct minimized m;
        trial_begin(&t, &prng, i % 2 == 0 ? "none" : "crash=1,restart=1");
        reduce(&t, 1u << stages[i % 3], &m);
        check_replays(&t, &m);
        CHECK(m.best.steps.count >= t.shortest);
        CHECK(m.best.steps.count <= m.initial_steps);
        shorter += m.best.steps.count < m.initial_steps;
        minimized_release(&m);
        trial_end(&t);
    }
    CHECK(shorter > count / 4);
}

TEST(stopped_at_once_the_first_is_the_best)
{
    static const volatile sig_atomic_t always = 1;
    struct prng prng;
    prng_init(&prng, 6);
    struct trial t;
    struct minimized m;
    struct err e = {.text = ""};
    trial_begin(&t, &prng, "none");
    const struct minimize_options o = {.is_stopped = &always};
    CHECK_INT(minimize(t.world, &t.plan, &o, &m, &e), 0);
    CHECK(m.stopped_by != LIMIT_OPEN);
    CHECK_INT(m.proof, PROOF_NONE);
    CHECK_INT(m.best.hash, t.run.hash);
    minimized_release(&m);
    trial_end(&t);
}

TEST(a_run_without_violation_is_refused)
{
    struct prng prng;
    prng_init(&prng, 5);
    const struct clew_system *system =
        random_system(&prng, &(struct random_system_options){.can_fail = false});
    struct world *w = system_open(system, "fifo");
    struct minimized m;
    struct err e = {.text = ""};
    const struct minimize_options o = {.is_stopped = &never};
    CHECK_INT(minimize(w, &(struct plan){0}, &o, &m, &e), -1);
    CHECK(strstr(e.text, "shows no violation") != NULL);
    minimized_release(&m);
    world_close(w);
}
