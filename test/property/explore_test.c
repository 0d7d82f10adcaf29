/* Searches beside the slow twin that leaves nothing out, on small random systems. */
#include "explore/explore.h"

#include "base/mem.h"
#include "exhaust.h"
#include "explore/replay.h"
#include "explore/search.h"
#include "pick/operation_name.h"
#include "random_system.h"
#include "system.h"
#include "test.h"
#include "world/recipe.h"

enum { EXECUTIONS_MAX = 3000 };

static volatile sig_atomic_t never;

static void no_progress(void *context, const struct explore_progress *p)
{
    (void)context;
    (void)p;
}

static struct explore_options options_of(int strategy, const struct fault_budget *faults)
{
    return (struct explore_options){
        .strategy = strategy,
        .search = {.faults = *faults, .delays_max = 1000, .has_states = true, .seed = 1},
        .jobs = 1,
        .progress = no_progress,
        .is_stopped = &never};
}

static void search(struct world *w, const struct explore_options *o, struct explored *found)
{
    struct err e = {.text = ""};
    if (explore(w, o, found, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

/* One random system with its slow twin's answer. */
struct trial {
    struct world *world;
    struct exhausted all;
    struct fault_budget faults;
};

/* Makes the next small enough system that can break as `breaks` says; how many were too large does
 * not matter. */
static void trial_begin_as(struct trial *t, struct prng *prng,
                           const struct random_system_options *breaks, const char *faults)
{
    struct err e = {.text = ""};
    CHECK_INT(fault_budget_parse(&t->faults, faults, &e), 0);
    const struct plan p = {.faults = t->faults};
    while (true) {
        const struct random_system_options o = {.has_timers = prng_below(prng, 2) == 0,
                                                .has_disk =
                                                    prng_below(prng, 3) == 0 || breaks->has_disk,
                                                .tells_writes = breaks->tells_writes,
                                                .can_fail = breaks->can_fail,
                                                .can_clash = breaks->can_clash,
                                                .can_crash = breaks->can_crash};
        const char *net = prng_below(prng, 2) == 0 ? "fifo" : "datagram";
        t->all = (struct exhausted){0};
        t->world = system_open(random_system(prng, &o), net);
        exhaust(t->world, &p, EXECUTIONS_MAX, &t->all);
        if (!t->all.is_too_much && t->all.executions > 1) {
            return;
        }
        exhausted_release(&t->all);
        world_close(t->world);
    }
}

static void trial_begin(struct trial *t, struct prng *prng, bool can_fail, const char *faults)
{
    trial_begin_as(t, prng, &(struct random_system_options){.can_fail = can_fail}, faults);
}

static void trial_end(struct trial *t)
{
    exhausted_release(&t->all);
    world_close(t->world);
}

static void check_dpor_counts(const char *faults, uint64_t seed, uint64_t count)
{
    struct prng prng;
    prng_init(&prng, seed);
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        trial_begin(&t, &prng, false, faults);
        const struct explore_options o = options_of(EXPLORE_DPOR, &t.faults);
        struct explored found = {0};
        search(t.world, &o, &found);
        const uint64_t complete = found.executions;
        if (complete != t.all.classes.entries.count || !found.is_complete) {
            fail_msg("system %llu, %s: %llu executions, and there are %zu", (unsigned long long)i,
                     t.world->net, (unsigned long long)complete, t.all.classes.entries.count);
        }
        explored_release(&found);
        trial_end(&t);
    }
}

TEST(dpor_makes_exactly_one_run_of_each_kind)
{
    check_dpor_counts("none", 1, test_count(60, 2000));
}

TEST(dpor_makes_exactly_one_run_of_each_kind_with_faults)
{
    check_dpor_counts("drop=1", 2, test_count(20, 300));
    check_dpor_counts("crash=1", 3, test_count(20, 300));
}

static void check_finds(int strategy, bool prunes, const char *faults, uint64_t seed,
                        uint64_t count)
{
    struct prng prng;
    prng_init(&prng, seed);
    uint64_t broken = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        trial_begin(&t, &prng, true, faults);
        struct explore_options o = options_of(strategy, &t.faults);
        o.search.prunes_states = prunes;
        struct explored found = {0};
        search(t.world, &o, &found);
        CHECK(found.is_complete);
        if ((t.all.violations > 0) != (found.violations.count > 0)) {
            fail_msg("system %llu, %s: %llu runs found %zu violations, and %llu of %llu "
                     "executions are",
                     (unsigned long long)i, t.world->net, (unsigned long long)found.runs,
                     found.violations.count, (unsigned long long)t.all.violations,
                     (unsigned long long)t.all.executions);
        }
        broken += t.all.violations > 0;
        explored_release(&found);
        trial_end(&t);
    }
    CHECK(broken > count / 10);
    CHECK(broken < count);
}

TEST(delay_with_enough_delays_finds_what_there_is)
{
    check_finds(EXPLORE_DELAY, false, "none", 4, test_count(30, 500));
    check_finds(EXPLORE_DELAY, false, "drop=1", 5, test_count(10, 100));
}

TEST(pruning_by_states_loses_nothing)
{
    check_finds(EXPLORE_DELAY, true, "none", 6, test_count(60, 1000));
    check_finds(EXPLORE_DELAY, true, "crash=1,restart=1", 7, test_count(10, 100));
}

TEST(dpor_finds_what_there_is)
{
    check_finds(EXPLORE_DPOR, false, "none", 8, test_count(60, 1000));
    check_finds(EXPLORE_DPOR, false, "drop=1", 9, test_count(20, 200));
}

/* Each violation that an execution shows is found, and nothing else. */
static void check_finds_each(int strategy, const struct random_system_options *breaks,
                             const char *faults, uint64_t seed, uint64_t count)
{
    struct prng prng;
    prng_init(&prng, seed);
    uint64_t broken = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        trial_begin_as(&t, &prng, breaks, faults);
        const struct explore_options o = options_of(strategy, &t.faults);
        struct explored found = {0};
        search(t.world, &o, &found);
        CHECK(found.is_complete);
        vec_each (&found.violations, v) {
            CHECK(map_get(&t.all.keys, name_text(v->key, strlen(v->key))) != NULL);
        }
        if (found.violations.count != t.all.keys.entries.count) {
            fail_msg("system %llu, %s: %llu runs found %zu violations, and there are %zu",
                     (unsigned long long)i, t.world->net, (unsigned long long)found.runs,
                     found.violations.count, t.all.keys.entries.count);
        }
        broken += t.all.violations > 0;
        explored_release(&found);
        trial_end(&t);
    }
    CHECK(broken > count / 10);
    CHECK(broken < count);
}

static const struct random_system_options clashing = {.can_clash = true};
static const struct random_system_options breaking = {
    .can_fail = true, .can_clash = true, .can_crash = true};

TEST(delay_with_enough_delays_finds_each_clash_of_two_nodes)
{
    check_finds_each(EXPLORE_DELAY, &clashing, "none", 21, test_count(30, 500));
    check_finds_each(EXPLORE_DELAY, &breaking, "drop=1", 22, test_count(10, 100));
}

TEST(dpor_finds_each_clash_of_two_nodes)
{
    check_finds_each(EXPLORE_DPOR, &clashing, "none", 23, test_count(100, 3000));
    check_finds_each(EXPLORE_DPOR, &breaking, "none", 24, test_count(60, 2000));
    check_finds_each(EXPLORE_DPOR, &breaking, "drop=1", 25, test_count(15, 200));
    check_finds_each(EXPLORE_DPOR, &breaking, "crash=1", 26, test_count(14, 200));
}

/* What a slow disk writes waits for whatever anybody does. */
TEST(dpor_finds_what_slow_disks_lead_to)
{
    static const struct random_system_options writing = {
        .has_disk = true, .tells_writes = true, .can_fail = true, .can_clash = true};
    check_finds_each(EXPLORE_DPOR, &writing, "slow-disk=2", 28, test_count(6, 60));
}

/* Where the order of all steps matters, each order is an execution of its own. */
TEST(dpor_takes_every_order_where_claims_are_about_order)
{
    struct prng prng;
    prng_init(&prng, 27);
    for (uint64_t i = 0; i < test_count(30, 500); i++) {
        struct trial t;
        const struct random_system_options whole = {0};
        trial_begin_as(&t, &prng, i % 2 == 0 ? &clashing : &whole, "none");
        t.world->scope = SCOPE_ORDER;
        const struct explore_options o = options_of(EXPLORE_DPOR, &t.faults);
        struct explored found = {0};
        search(t.world, &o, &found);
        CHECK(found.is_complete);
        CHECK_INT(found.violations.count, t.all.keys.entries.count);
        CHECK_INT(found.executions, t.all.executions);
        explored_release(&found);
        trial_end(&t);
    }
}

/* Runs a random execution again from its schedule: text, parsed, run. */
static void check_replay(struct world *w, const struct plan *p, const struct execution *x)
{
    struct schedule s;
    struct in in;
    struct err e = {.text = ""};
    struct replayed r = {0};
    char *text = system_schedule(w, p, x);
    schedule_init(&s);
    in_open_memory(&in, text, strlen(text));
    if (schedule_parse(&s, &in, &e) < 0 || replay(w, &s, &(struct replay_options){0}, &r, &e) < 0) {
        fail_msg("%s\n%s", e.text, text);
    }
    if (!r.is_same || r.execution.outcome != x->outcome ||
        r.execution.steps.count != x->steps.count) {
        fail_msg("%s: %s, %zu steps of %zu\n%s", outcome_name(r.execution.outcome), r.divergence,
                 r.execution.steps.count, x->steps.count, text);
    }
    replayed_release(&r);
    schedule_release(&s);
    mem_free(text);
}

TEST(every_run_is_had_again_from_its_schedule)
{
    struct prng prng;
    prng_init(&prng, 10);
    for (uint64_t i = 0; i < test_count(40, 400); i++) {
        struct trial t;
        trial_begin(&t, &prng, true, i % 2 == 0 ? "none" : "crash=1,restart=1,drop=1,duplicate=1");
        struct execution x = {0};
        for (uint64_t seed = 0; seed < 20; seed++) {
            const struct plan p = {
                .pick = {.strategy = (enum pick_strategy)(1 + seed % (PICK_STRATEGY_COUNT - 1)),
                         .seed = seed},
                .faults = t.faults};
            system_run(t.world, &p, &x);
            check_replay(t.world, &p, &x);
        }
        execution_release(&x);
        trial_end(&t);
    }
}

static bool has_step(const struct execution *x, uint64_t name)
{
    vec_each (&x->steps, s) {
        if (s->operation.name == name) {
            return true;
        }
    }
    return false;
}

/* The order of a run as constraints: the pairs that conflict, or each step and the next where a
 * claim reads several nodes. An alternative to a step that the run never executes does not come
 * before the step. */
static void add_constraints(const struct execution *x, bool is_total, struct recipe *r)
{
    vec_clear(&r->constraints);
    for (size_t second = 0; second < x->steps.count; second++) {
        for (size_t first = 0; first < second; first++) {
            const struct pick_operation *a = &x->steps.at[first].operation;
            const struct pick_operation *b = &x->steps.at[second].operation;
            if (is_total ? first + 1 == second : pick_conflicts(a, b)) {
                vec_push(&r->constraints, (struct pick_constraint){.first = a->name,
                                                                   .second = b->name,
                                                                   .relation = PICK_BEFORE});
            }
        }
    }
    vec_each (&x->steps, s) {
        for (uint32_t i = 0; i < s->pending_count; i++) {
            const uint64_t name = x->pending.at[s->pending_first + i].name;
            if (!has_step(x, name)) {
                vec_push(&r->constraints, (struct pick_constraint){.first = name,
                                                                   .second = s->operation.name,
                                                                   .relation = PICK_BEFORE,
                                                                   .is_negated = true});
            }
        }
    }
    r->plan.pick.constraints = r->constraints.at;
    r->plan.pick.constraint_count = r->constraints.count;
}

/* Random runs of random systems, each had again from its orders alone. */
static void check_orders(const struct random_system_options *breaks, const char *faults,
                         uint64_t seed, uint64_t count)
{
    struct prng prng;
    prng_init(&prng, seed);
    uint64_t violations = 0;
    uint64_t strikes = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        trial_begin_as(&t, &prng, breaks, faults);
        struct execution x = {0};
        struct execution again = {0};
        struct recipe r = {0};
        for (uint64_t run = 0; run < 10; run++) {
            const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = run},
                                   .faults = t.faults,
                                   .wants_pending = true,
                                   .wants_states = true};
            system_run(t.world, &p, &x);
            add_constraints(&x, breaks->can_clash, &r);
            r.plan.faults = t.faults;
            r.plan.wants_states = true;
            /* The seed is the same, because the nodes draw from it; the open choices are not. A
             * strategy of its own would choose its own faults. */
            r.plan.pick.strategy =
                run % 2 == 0 && strcmp(faults, "none") == 0 ? PICK_POS : PICK_FIRST;
            r.plan.pick.seed = run;
            system_run(t.world, &r.plan, &again);
            if (again.outcome != x.outcome || strcmp(again.key, x.key) != 0) {
                fail_msg("system %llu, run %llu: %s %s, and it was %s %s", (unsigned long long)i,
                         (unsigned long long)run, outcome_name(again.outcome), again.key,
                         outcome_name(x.outcome), x.key);
            }
            if (x.outcome == OUTCOME_PASSED) {
                CHECK(exhaust_class(&again) == exhaust_class(&x));
                CHECK(x.steps.count == 0 ||
                      vec_last(&again.steps)->state == vec_last(&x.steps)->state);
            }
            violations += outcome_is_violation(x.outcome);
            vec_each (&x.steps, s) {
                strikes += s->operation.fault != 0;
            }
        }
        recipe_release(&r);
        execution_release(&again);
        execution_release(&x);
        trial_end(&t);
    }
    const bool is_breaking = breaks->can_fail || breaks->can_clash || breaks->can_crash;
    CHECK((violations > 0) == is_breaking);
    CHECK((strikes > 0) == (strcmp(faults, "none") != 0));
}

static const struct random_system_options unbroken = {0};

TEST(the_orders_of_a_run_are_enough_to_have_its_outcome_again)
{
    check_orders(&unbroken, "none", 11, test_count(40, 400));
}

TEST(the_orders_of_a_run_that_breaks_are_enough)
{
    const struct random_system_options failing = {.can_fail = true, .can_crash = true};
    check_orders(&failing, "none", 30, test_count(40, 400));
    check_orders(&breaking, "none", 31, test_count(40, 400));
}

TEST(the_orders_of_a_run_with_faults_are_enough)
{
    check_orders(&unbroken, "drop=1", 32, test_count(20, 200));
    check_orders(&unbroken, "crash=1,restart=1", 33, test_count(20, 200));
    check_orders(&breaking, "crash=1,drop=1", 34, test_count(20, 200));
}

/* Two steps of a run, each before the other. */
static void check_contradiction(struct world *w, const struct step *a, const struct step *b)
{
    struct execution again = {0};
    const struct pick_constraint all[] = {
        {.first = 1, .second = 2, .is_negated = true},
        {.first = a->operation.name, .second = b->operation.name},
        {.first = b->operation.name, .second = a->operation.name},
    };
    system_run(w, &(struct plan){.pick = {.constraints = all, .constraint_count = 3}}, &again);
    CHECK_INT(again.outcome, OUTCOME_UNSATISFIED);
    CHECK(again.where == 1 || again.where == 2);
    execution_release(&again);
}

TEST(orders_that_cannot_be_are_named)
{
    struct prng prng;
    prng_init(&prng, 12);
    for (int i = 0; i < 20; i++) {
        struct trial t;
        trial_begin(&t, &prng, false, "none");
        struct execution x = {0};
        system_run(t.world, &(struct plan){0}, &x);
        for (size_t k = 1; k < x.steps.count; k++) {
            check_contradiction(t.world, &x.steps.at[k - 1], &x.steps.at[k]);
        }
        execution_release(&x);
        trial_end(&t);
    }
}

/* The hash remembered for an untouched node equals the hash computed again. */
TEST(hashes_from_step_to_step_are_those_of_the_whole)
{
    struct prng prng;
    prng_init(&prng, 20);
    for (uint64_t i = 0; i < test_count(60, 600); i++) {
        struct trial t;
        trial_begin(&t, &prng, false, i % 2 == 0 ? "none" : "crash=1,restart=1,partition=1,skew=1");
        const struct world_ops *ops = t.world->ops;
        const struct plan p = {.faults = t.faults};
        const struct pick_operation *pending = NULL;
        struct execution x = {0};
        ops->begin(t.world, &p, &x);
        uint32_t count = 0;
        while ((count = ops->pending(t.world, &pending)) > 0) {
            CHECK(ops->step(t.world, (uint32_t)prng_below(&prng, count), &x));
            const uint64_t hash = ops->state_hash(t.world);
            void *copy = ops->checkpoint(t.world);
            ops->restore(t.world, copy); /* nothing is remembered now */
            CHECK(ops->state_hash(t.world) == hash);
            mem_free(copy);
        }
        execution_release(&x);
        trial_end(&t);
    }
}

TEST(auto_finds_what_there_is_in_small_systems)
{
    struct prng prng;
    prng_init(&prng, 13);
    for (uint64_t i = 0; i < test_count(20, 200); i++) {
        struct trial t;
        trial_begin(&t, &prng, true, "none");
        struct explore_options o = options_of(EXPLORE_AUTO, &t.faults);
        o.search.prunes_states = true;
        o.budget.runs = 5000;
        struct explored found = {0};
        search(t.world, &o, &found);
        CHECK((t.all.violations > 0) == (found.violations.count > 0));
        explored_release(&found);
        trial_end(&t);
    }
}

/* The runs that a search stores, as a campaign would. */
struct keeping {
    struct out whole, more;
};

/* Makes runs until there is nothing left, or `count`; how many, and their hashes go into *hash. */
static uint64_t make_runs(struct search *s, struct world *w, uint64_t count, uint64_t *hash)
{
    struct err e = {.text = ""};
    struct plan p;
    struct execution x = {0};
    uint64_t made = 0;
    while (made < count && s->ops->next(s, made, &p)) {
        CHECK_INT(world_run(w, &p, &x, &e), 0);
        *hash = name_mix(*hash, x.hash);
        search_count(s, &x);
        s->ops->learn(s, &p, &x);
        made++;
    }
    execution_release(&x);
    return made;
}

static struct search *begin_search(int strategy, const struct search_options *o)
{
    return strategy == EXPLORE_DPOR    ? search_dpor(o)
           : strategy == EXPLORE_DELAY ? search_delay(o)
                                       : search_auto(o);
}

/* Another search that goes on where this one is, which is freed. */
static struct search *go_on(struct search *s, struct world *w, int strategy, struct keeping *k)
{
    struct err e = {.text = ""};
    const struct search_options o = s->options;
    out_abandon(&k->whole);
    out_open_memory(&k->whole);
    search_save(s, &k->whole, &k->more);
    s->ops->free(s);
    struct search *next = begin_search(strategy, &o);
    struct saved whole = {.at = k->whole.buffer, .left = k->whole.used / 8};
    struct saved more = {.at = k->more.buffer, .left = k->more.used / 8};
    if (search_resume(next, w, &whole, &more, &e) < 0) {
        fail_msg("%s", e.text);
    }
    return next;
}

/* Stopped after a few runs, again and again, a search makes the same runs as one that is not. */
static void check_resumed(int strategy, const char *faults, uint64_t seed, uint64_t count)
{
    struct prng prng;
    prng_init(&prng, seed);
    for (uint64_t i = 0; i < count; i++) {
        struct trial t;
        const struct random_system_options whole = {0};
        trial_begin_as(&t, &prng, i % 2 == 0 ? &breaking : &whole, faults);
        const struct search_options o = {.faults = t.faults,
                                         .scope = t.world->scope,
                                         .delays_max = 3,
                                         .prunes_states = i % 3 != 0,
                                         .has_states = true,
                                         .is_kept = true,
                                         .seed = 1};
        uint64_t wanted = 0;
        struct search *at_once = begin_search(strategy, &o);
        const uint64_t run_count = make_runs(at_once, t.world, 1900, &wanted);
        uint64_t got = 0;
        struct keeping k;
        out_open_memory(&k.whole);
        out_open_memory(&k.more);
        struct search *s = begin_search(strategy, &o);
        uint64_t made = 0;
        uint64_t more = 1;
        while (more > 0 && made < 1900) {
            const uint64_t most = 1 + prng_below(&prng, 20);
            more = make_runs(s, t.world, most < 1900 - made ? most : 1900 - made, &got);
            made += more;
            s = go_on(s, t.world, strategy, &k);
        }
        CHECK_INT(made, run_count);
        CHECK_INT(s->tally.runs, run_count);
        if (strategy != EXPLORE_AUTO) { /* between its runs with few delays it draws again */
            CHECK(got == wanted);
            CHECK_INT(s->tally.redundant_runs, at_once->tally.redundant_runs);
        }
        CHECK_INT(s->ops->is_complete(s), at_once->ops->is_complete(at_once));
        out_abandon(&k.whole);
        out_abandon(&k.more);
        s->ops->free(s);
        at_once->ops->free(at_once);
        trial_end(&t);
    }
}

TEST(dpor_goes_on_where_it_was)
{
    check_resumed(EXPLORE_DPOR, "none", 14, test_count(30, 500));
    check_resumed(EXPLORE_DPOR, "crash=1", 15, test_count(10, 100));
}

TEST(delay_goes_on_where_it_was)
{
    check_resumed(EXPLORE_DELAY, "none", 16, test_count(30, 500));
    check_resumed(EXPLORE_DELAY, "drop=1", 17, test_count(10, 100));
}

TEST(the_first_phase_of_auto_goes_on_where_it_was)
{
    check_resumed(EXPLORE_AUTO, "none", 18, test_count(10, 100));
}

/* Whatever the bytes are, they are taken or refused. */
TEST(a_damaged_search_is_refused)
{
    struct prng prng;
    prng_init(&prng, 19);
    uint64_t refused = 0;
    for (uint64_t i = 0; i < test_count(200, 5000); i++) {
        struct trial t;
        struct err e = {.text = ""};
        struct out whole;
        struct out more;
        uint64_t hash = 0;
        trial_begin(&t, &prng, false, "none");
        const int strategy = i % 2 == 0 ? EXPLORE_DPOR : EXPLORE_DELAY;
        const struct search_options o = {.delays_max = 3, .is_kept = true, .seed = 1};
        struct search *s = begin_search(strategy, &o);
        (void)make_runs(s, t.world, 3, &hash);
        out_open_memory(&whole);
        out_open_memory(&more);
        search_save(s, &whole, &more);
        s->ops->free(s);
        whole.buffer[prng_below(&prng, whole.used)] ^= (char)(1 + prng_below(&prng, 255));
        s = begin_search(strategy, &o);
        struct saved numbers = {.at = whole.buffer, .left = whole.used / 8 - prng_below(&prng, 2)};
        if (search_resume(s, t.world, &numbers, &(struct saved){0}, &e) < 0) {
            CHECK(e.text[0] != '\0');
            refused++;
        } else {
            (void)make_runs(s, t.world, 10, &hash);
        }
        s->ops->free(s);
        out_abandon(&whole);
        out_abandon(&more);
        trial_end(&t);
    }
    CHECK(refused > 0);
}

/* The seeds of a search's first runs, all of them new. */
static void add_seeds(struct map *seeds, struct search *s)
{
    struct plan p;
    bool is_new = false;
    CHECK(s->ops->next(s, 0, &p)); /* the default order, in which nothing is drawn */
    for (uint64_t run = 1; run <= 200; run++) {
        CHECK(s->ops->next(s, run, &p));
        (void)map_slot(seeds, p.pick.seed, 1, &is_new);
        CHECK(is_new);
    }
    s->ops->free(s);
}

TEST(searches_with_near_seeds_share_no_run)
{
    struct map sampled = {0};
    struct map automatic = {0};
    for (uint64_t seed = 0; seed < 32; seed++) {
        const struct search_options o = {.is_drawn = true, .seed = seed};
        add_seeds(&sampled, search_sample(&o, PICK_RANDOM));
        add_seeds(&automatic, search_auto(&o));
    }
    map_release(&sampled);
    map_release(&automatic);
}

/* Without a budget, workers that sample would go on for ever. */
TEST(a_finished_search_ends_the_other_workers)
{
    struct prng prng;
    prng_init(&prng, 28);
    const int strategies[] = {EXPLORE_DPOR, EXPLORE_DELAY};
    for (size_t i = 0; i < 2; i++) {
        struct trial t;
        trial_begin(&t, &prng, false, "none");
        struct explore_options o = options_of(strategies[i], &t.faults);
        o.jobs = 2;
        struct explored found = {0};
        search(t.world, &o, &found);
        CHECK(found.is_complete);
        CHECK(found.executions > 0);
        explored_release(&found);
        trial_end(&t);
    }
}

TEST(the_first_violation_ends_the_other_workers)
{
    struct prng prng;
    prng_init(&prng, 29);
    struct trial t;
    trial_begin(&t, &prng, true, "none");
    while (t.all.violations == 0) {
        trial_end(&t);
        trial_begin(&t, &prng, true, "none");
    }
    struct explore_options o = options_of(PICK_RANDOM, &t.faults);
    o.jobs = 3;
    o.stops_at_violation = true;
    struct explored found = {0};
    search(t.world, &o, &found);
    CHECK(found.violations.count > 0);
    explored_release(&found);
    trial_end(&t);
}
