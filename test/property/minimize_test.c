/* Minimization beside the slow twin that looks at every execution, on small random systems. */
#include "minimize/minimize.h"

#include "exhaust.h"
#include "random_system.h"
#include "system.h"
#include "test.h"

enum { EXECUTIONS_MAX = 20000, RUN_STEPS_MIN = 3 };

static volatile sig_atomic_t never;

/* Whether it is the same violation, decided independently of the engine. */

static bool is_kind(const struct execution *x, const struct execution *like)
{
    return x->outcome == like->outcome;
}

static bool is_claim(const struct execution *x, const struct execution *like)
{
    return is_kind(x, like) && strcmp(x->key, like->key) == 0;
}

static uint16_t last_node(const struct execution *x)
{
    return x->steps.at[x->steps.count - 1].operation.node;
}

static bool is_claim_there(const struct execution *x, const struct execution *like)
{
    return is_claim(x, like) && last_node(x) == last_node(like);
}

static bool (*const sames[])(const struct execution *x, const struct execution *like) = {
    [SAME_KIND] = is_kind, [SAME_RENAMED] = is_claim, [SAME_EXACT] = is_claim_there};

/* A random system, a run of it that breaks, and how short such a run can be. */
struct trial {
    struct world *world;
    struct plan plan;
    enum same same;
    uint64_t shortest;     /* that breaks in the same way ... */
    uint64_t shortest_any; /* ... or in any */
    struct execution run;
};

/* Whether it broke as the trial's run did. */
static bool is_same(const struct trial *t, const struct execution *x)
{
    return x->steps.count > 0 && sames[t->same](x, &t->run);
}

static void trial_end(struct trial *t)
{
    execution_release(&t->run);
    world_close(t->world);
}

/* A random system and a run of it that breaks, not at once. */
static void trial_draw(struct trial *t, struct prng *prng, const char *faults)
{
    struct err e = {.text = ""};
    while (true) {
        const struct random_system_options o = {.has_timers = prng_below(prng, 2) == 0,
                                                .has_disk = prng_below(prng, 3) == 0,
                                                .tells_writes = strstr(faults, "disk") != NULL,
                                                .can_fail = prng_below(prng, 2) == 0,
                                                .can_clash = true,
                                                .can_crash = prng_below(prng, 2) == 0};
        const char *net = prng_below(prng, 2) == 0 ? "fifo" : "datagram";
        *t = (struct trial){.world = system_open(random_system(prng, &o), net),
                            .same = (enum same)prng_below(prng, SAME_COUNT)};
        CHECK_INT(fault_budget_parse(&t->plan.faults, faults, &e), 0);
        if (system_break(t->world, &t->plan, prng, &t->run) &&
            t->run.steps.count >= RUN_STEPS_MIN) {
            return;
        }
        trial_end(t);
    }
}

/* One whose executions can all be looked at, and were. */
static void trial_begin(struct trial *t, struct prng *prng, const char *faults)
{
    while (true) {
        trial_draw(t, prng, faults);
        struct exhausted all = {.like = &t->run, .is_like = sames[t->same]};
        exhaust(t->world, &t->plan, EXECUTIONS_MAX, &all);
        t->shortest = all.shortest_like;
        t->shortest_any = all.shortest;
        const bool is_good = !all.is_too_much;
        exhausted_release(&all);
        if (is_good) {
            return;
        }
        trial_end(t);
    }
}

/* Candidates match the file on disk: each better one is a run that was repeated. */
struct watched {
    const struct trial *trial;
    uint32_t steps; /* of the last ... */
    uint32_t externals;
};

static int watch(void *context, const struct plan *p, const struct execution *best, struct err *e)
{
    struct watched *w = context;
    (void)p;
    (void)e;
    CHECK(is_same(w->trial, best));
    const uint32_t externals = minimize_externals(best);
    CHECK(w->steps == 0 || best->steps.count < w->steps ||
          (best->steps.count == w->steps && externals < w->externals));
    w->steps = (uint32_t)best->steps.count;
    w->externals = externals;
    return 0;
}

static void reduce(const struct trial *t, uint32_t stages, struct minimized *m)
{
    struct err e = {.text = ""};
    struct watched watched = {.trial = t};
    const struct minimize_options o = {.same = t->same,
                                       .stages = stages,
                                       .keeps_checkpoints = true,
                                       .is_stopped = &never,
                                       .better = watch,
                                       .context = &watched};
    if (minimize(t->world, &t->plan, &o, m, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

/* The schedule of the result makes the same run again. */
static void check_replays(const struct trial *t, const struct minimized *m)
{
    struct recipe r = {0};
    struct execution x = {0};
    system_recipe(t->world, &m->plan, &m->best, &r);
    system_run(t->world, &r.plan, &x);
    CHECK(is_same(t, &x));
    CHECK_TEXT(x.what, m->best.what);
    CHECK_INT(x.hash, m->best.hash);
    CHECK_INT(x.steps.count, m->best.steps.count);
    execution_release(&x);
    recipe_release(&r);
}

/* Whether it still breaks without the step, the others being found again by this match. */
static bool breaks_without(const struct trial *t, const struct minimized *m, uint32_t out,
                           enum pick_match match)
{
    VEC(struct pick_want) wants = {0};
    struct execution x = {0};
    struct plan p = m->plan;
    for (uint32_t i = 0; i < m->best.steps.count; i++) {
        const struct pick_operation *o = &m->best.steps.at[i].operation;
        if (i != out) {
            vec_push(&wants, (struct pick_want){.action = o->action,
                                                .content = o->content,
                                                .fault = o->fault,
                                                .match = (uint8_t)match});
        }
    }
    p.pick.wants = wants.at;
    p.pick.want_count = wants.count;
    if (wants.count > 0) {
        system_run(t->world, &p, &x);
    }
    const bool breaks = is_same(t, &x);
    execution_release(&x);
    vec_release(&wants);
    return breaks;
}

/* No step can go, whichever way the others are found again. */
static void check_minimal(const struct trial *t, const struct minimized *m)
{
    for (uint32_t out = 0; out < m->best.steps.count; out++) {
        for (int match = PICK_SAME; match <= PICK_NEWEST; match++) {
            CHECK(!breaks_without(t, m, out, (enum pick_match)match));
        }
    }
}

/* Each replay belongs to a stage, except the first two, of the given schedule and its repetition,
 * and ten of the result if its flakiness is claimed. The stages' changes lead from the given
 * schedule to the result. */
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

/* Minimizes `count` schedules by these stages (0: all), and checks the statements about the
 * results. Returns in how many another violation can be had sooner. */
static uint64_t check_results(const char *faults, uint64_t seed, uint64_t count, uint32_t stages)
{
    struct prng prng;
    prng_init(&prng, seed);
    uint64_t optimal = 0;
    uint64_t told_apart = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        struct minimized m;
        trial_begin(&t, &prng, faults);
        reduce(&t, stages, &m);
        check_account(&m);
        check_replays(&t, &m);
        if (m.proof != PROOF_NONE) {
            check_minimal(&t, &m);
        }
        if (m.best.steps.count < t.shortest ||
            (m.proof == PROOF_OPTIMAL && m.best.steps.count != t.shortest)) {
            fail_msg("system %llu, %s, from %u steps: %zu are said to be the least, and %llu are",
                     (unsigned long long)i, t.world->net, m.initial_steps, m.best.steps.count,
                     (unsigned long long)t.shortest);
        }
        optimal += m.proof == PROOF_OPTIMAL;
        told_apart += t.shortest > t.shortest_any;
        minimized_release(&m);
        trial_end(&t);
    }
    CHECK(optimal > count / 2);
    return told_apart;
}

TEST(what_is_said_to_be_optimal_is)
{
    CHECK(check_results("none", 1, test_count(120, 3000), 0) > 5);
}

TEST(what_is_said_to_be_optimal_is_with_faults)
{
    const uint64_t count = test_count(40, 500);
    CHECK(check_results("drop=1", 2, count, 0) + check_results("crash=1,restart=1", 3, count, 0) >
          1);
}

/* No other stage brings it near the least. */
TEST(what_the_exact_finish_alone_says_to_be_optimal_is)
{
    const uint32_t stages = 1u << STAGE_EXACT;
    CHECK(check_results("none", 9, test_count(150, 3000), stages) +
              check_results("crash=1,restart=1", 10, test_count(30, 500), stages) +
              check_results("slow-disk=2", 13, test_count(8, 500), stages) >
          5);
}

/* Nor are these singles that another stage has been at. */
TEST(no_step_can_go_of_what_singles_leave)
{
    struct prng prng;
    prng_init(&prng, 11);
    uint64_t shorter = 0;
    const uint64_t count = test_count(150, 3000);
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        struct minimized m;
        trial_draw(&t, &prng, i % 2 == 0 ? "none" : "crash=1,restart=1");
        reduce(&t, 1u << STAGE_SINGLES, &m);
        check_replays(&t, &m);
        CHECK_INT(m.proof, PROOF_MINIMAL);
        check_minimal(&t, &m);
        shorter += m.best.steps.count < m.initial_steps;
        minimized_release(&m);
        trial_end(&t);
    }
    CHECK(shorter > count / 4);
}

static uint32_t count_unignorable(const struct execution *x, uint64_t action)
{
    uint32_t count = 0;
    vec_each (&x->steps, step) {
        count += step->operation.is_unignorable && step->operation.action == action;
    }
    return count;
}

/* Whether it has all that may not be ignored in the other, as often. */
static bool has_unignorable(const struct execution *x, const struct execution *like)
{
    vec_each (&like->steps, step) {
        const uint64_t action = step->operation.action;
        if (count_unignorable(x, action) < count_unignorable(like, action)) {
            return false;
        }
    }
    return true;
}

/* By the exact finish alone, and by each of those that look elsewhere; from runs with messages that
 * may not be ignored. */
TEST(what_may_not_be_ignored_stays)
{
    static const enum stage stages[] = {STAGE_EXACT, STAGE_DRIFT,   STAGE_EXACT, STAGE_TAILS,
                                        STAGE_EXACT, STAGE_DETOURS, STAGE_EXACT, STAGE_ANEW};
    struct prng prng;
    prng_init(&prng, 8);
    uint64_t told_apart = 0;
    for (uint64_t i = 0; i < test_count(420, 3000); i++) {
        const struct random_system_options o = {
            .has_timers = prng_below(&prng, 2) == 0, .can_fail = true, .has_unignorable = true};
        const char *net = prng_below(&prng, 2) == 0 ? "fifo" : "datagram";
        struct trial t = {.world = system_open(random_system(&prng, &o), net), .same = SAME_KIND};
        struct exhausted all = {.like = &t.run, .is_like = has_unignorable};
        struct minimized m = {0};
        if (system_break(t.world, &t.plan, &prng, &t.run)) {
            exhaust(t.world, &(struct plan){0}, EXECUTIONS_MAX, &all);
            reduce(&t, 1u << stages[i % (sizeof stages / sizeof *stages)], &m);
            CHECK(m.best.steps.count <= t.run.steps.count);
            CHECK(has_unignorable(&m.best, &t.run));
            if (m.proof == PROOF_OPTIMAL && !all.is_too_much) {
                CHECK_INT(m.best.steps.count, all.shortest_like);
                told_apart += all.shortest_like > all.shortest;
            }
        }
        minimized_release(&m);
        exhausted_release(&all);
        trial_end(&t);
    }
    CHECK(told_apart > 2);
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

/* The statements about the best run hold wherever the search is stopped. */
TEST(what_is_said_of_a_search_that_was_ended_holds)
{
    struct prng prng;
    prng_init(&prng, 12);
    uint64_t ended = 0;
    const uint64_t count = test_count(60, 3000);
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        struct minimized m;
        struct err e = {.text = ""};
        trial_draw(&t, &prng, i % 2 == 0 ? "none" : "crash=1,restart=1");
        const struct minimize_options o = {.same = t.same,
                                           .keeps_checkpoints = true,
                                           .is_stopped = &never,
                                           .budget.runs = 3 + prng_below(&prng, 400)};
        if (minimize(t.world, &t.plan, &o, &m, &e) < 0) {
            fail_msg("%s", e.text);
        }
        CHECK(m.stopped_by == LIMIT_OPEN || m.stopped_by == LIMIT_RUNS);
        check_replays(&t, &m);
        if (m.proof != PROOF_NONE) {
            check_minimal(&t, &m);
        }
        ended += m.stopped_by == LIMIT_RUNS;
        minimized_release(&m);
        trial_end(&t);
    }
    CHECK(ended > count / 2);
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
