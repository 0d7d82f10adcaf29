/* Where minimization ends: what the exact finish finds and claims, and who is told. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "minimize/minimize.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

/* A node breaks its property when three requests, each behind the other, have come; and sooner on
 * ways that can be opened: when it has begun again after a crash, or when its timer has fired and
 * the first request has brought an a. */
static bool has_way_of_crash;
static bool has_way_of_timer;

struct node {
    bool is_done, has_waited;
};

enum { FIRST, SECOND, THIRD };
static const char *const messages[] = {"first", "second", "third", NULL};
static const char *const timers[] = {"wait", NULL};

static void ask(void)
{
    clew_request(0, FIRST, "ba", 2);
    clew_request(0, SECOND, "b", 1);
    clew_request(0, THIRD, "c", 1);
}

static void start(void *state)
{
    (void)state;
    if (has_way_of_timer) {
        clew_timer_set(0, 1);
    }
}

static void restart(void *state)
{
    ((struct node *)state)->is_done = has_way_of_crash;
}

static void wait_for_it(void *state, int timer)
{
    (void)timer;
    ((struct node *)state)->has_waited = true;
}

static void get(void *state, const struct clew_message *m)
{
    struct node *node = state;
    const bool has_a = m->size > 0 && memchr(m->bytes, 'a', m->size) != NULL;
    const bool has_c = m->size > 0 && memchr(m->bytes, 'c', m->size) != NULL;
    node->is_done = has_c || (has_a && node->has_waited);
    clew_variable("last", m->type);
}

static bool is_not_done(const struct clew_view *view)
{
    const struct node *node = view->states[0];
    return node == NULL || !node->is_done;
}

static const struct clew_property properties[] = {{.name = "not done", .holds = is_not_done}, {0}};
static const struct clew_system ways = {.version = CLEW_SIM_VERSION,
                                        .size = sizeof(struct clew_system),
                                        .name = "ways",
                                        .node_count = 1,
                                        .messages = messages,
                                        .timers = timers,
                                        .state_size = sizeof(struct node),
                                        .setup = ask,
                                        .start = start,
                                        .message = get,
                                        .timer = wait_for_it,
                                        .restart = restart,
                                        .properties = properties,
                                        .shrink = system_leave_one_out};

/* From the three requests, with one crash and one restart allowed. */
static void reduce(struct minimized *m, const struct minimize_options *o)
{
    struct err e = {.text = ""};
    struct plan p = {0};
    struct world *w = system_open(&ways, "fifo");
    CHECK_INT(fault_budget_parse(&p.faults, "crash=1,restart=1", &e), 0);
    if (minimize(w, &p, o, m, &e) < 0) {
        fail_msg("%s", e.text);
    }
    CHECK_INT(m->initial_steps, 3);
    world_close(w);
}

TEST(what_needs_a_fault_that_the_best_has_not_is_taken)
{
    struct minimized m;
    has_way_of_crash = true;
    has_way_of_timer = false;
    reduce(&m, &(struct minimize_options){
                   .is_stopped = &never, .stages = 1u << STAGE_EXACT, .keeps_checkpoints = true});
    CHECK_INT(m.best.steps.count, 2);
    CHECK_INT(m.plan.faults.most[FAULT_CRASH], 1);
    CHECK_INT(m.proof, PROOF_OPTIMAL);
    minimized_release(&m);
}

TEST(what_is_shorter_with_more_to_bring_is_taken)
{
    struct minimized m;
    has_way_of_crash = false;
    has_way_of_timer = true;
    reduce(&m, &(struct minimize_options){.is_stopped = &never,
                                          .stages = 1u << STAGE_CONTENTS | 1u << STAGE_EXACT,
                                          .keeps_checkpoints = true});
    CHECK_INT(m.best.steps.count, 2);
    CHECK_INT(m.proof, PROOF_OPTIMAL);
    CHECK_INT(m.plan.content_count, 1);
    CHECK_INT(m.plan.contents[0].size, 1);
    CHECK_INT(*(const char *)m.plan.contents[0].bytes, 'a');
    minimized_release(&m);
}

static volatile sig_atomic_t has_better;

static int stop_at_better(void *context, const struct plan *p, const struct execution *best,
                          struct err *e)
{
    (void)context;
    (void)p;
    (void)e;
    has_better = best->steps.count < 3;
    return 0;
}

TEST(what_was_proven_of_a_longer_one_is_not_said)
{
    struct minimized m;
    has_way_of_crash = true;
    has_way_of_timer = false;
    has_better = 0;
    reduce(&m, &(struct minimize_options){.is_stopped = &has_better,
                                          .stages = 1u << STAGE_EXACT,
                                          .keeps_checkpoints = true,
                                          .better = stop_at_better});
    CHECK_INT(m.stopped_by, LIMIT_STOPPED);
    CHECK_INT(m.best.steps.count, 2);
    CHECK_INT(m.proof, PROOF_NONE);
    minimized_release(&m);
}

/* At rest, when all three have come in any order, the way that a timer makes longer. */
static bool has_less_than_three(const struct clew_view *view)
{
    return clew_value(view, 0, "last") == NULL || *clew_value(view, 0, "last") != THIRD;
}

TEST(nothing_is_claimed_where_all_must_come_to_rest)
{
    static const struct clew_property at_rest[] = {
        {.name = "less", .holds = has_less_than_three, .is_at_rest = true}, {0}};
    struct clew_system resting = ways;
    struct err e = {.text = ""};
    struct minimized m;
    resting.properties = at_rest;
    has_way_of_crash = false;
    has_way_of_timer = true;
    struct world *w = system_open(&resting, "fifo");
    const struct minimize_options o = {
        .is_stopped = &never, .stages = 1u << STAGE_EXACT, .keeps_checkpoints = true};
    CHECK_INT(minimize(w, &(struct plan){0}, &o, &m, &e), 0);
    CHECK_INT(m.best.steps.count, 4);
    CHECK_INT(m.proof, PROOF_NONE);
    minimized_release(&m);
    world_close(w);
}

static bool is_never_so(const struct clew_view *view)
{
    (void)view;
    return false;
}

TEST(what_shows_before_the_first_step_is_optimal)
{
    static const struct clew_property broken[] = {{.name = "never", .holds = is_never_so}, {0}};
    struct clew_system breaking = ways;
    struct err e = {.text = ""};
    struct minimized m;
    breaking.properties = broken;
    struct world *w = system_open(&breaking, "fifo");
    const struct minimize_options o = {.is_stopped = &never, .stages = 1u << STAGE_SINGLES};
    CHECK_INT(minimize(w, &(struct plan){0}, &o, &m, &e), 0);
    CHECK_INT(m.best.steps.count, 0);
    CHECK_INT(m.proof, PROOF_OPTIMAL);
    minimized_release(&m);
    world_close(w);
}

/* Node 0 is full after so many requests; others get notes that nothing needs, which the best has
 * none of. There are thousands of executions with some of them. */
enum { FULL = 12, NOTES = 8, NOTED = 3 };

static bool is_weary; /* whoever gets a note wants the search stopped */
static volatile sig_atomic_t is_enough;

struct vessel {
    uint32_t count;
};

static void ask_much(void)
{
    for (int i = 0; i < FULL; i++) {
        clew_request(0, FIRST, NULL, 0);
    }
    for (int i = 0; i < NOTES * NOTED; i++) {
        clew_request(1 + i % NOTED, SECOND, NULL, 0);
    }
}

static void fill(void *state, const struct clew_message *m)
{
    ((struct vessel *)state)->count++;
    is_enough = m->type == SECOND && is_weary;
}

static bool has_room(const struct clew_view *view)
{
    return ((const struct vessel *)view->states[0])->count < FULL;
}

static const struct clew_property rooms[] = {{.name = "room", .holds = has_room}, {0}};
static const struct clew_system vessels = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "vessels",
                                           .node_count = 1 + NOTED,
                                           .messages = messages,
                                           .state_size = sizeof(struct vessel),
                                           .setup = ask_much,
                                           .message = fill,
                                           .properties = rooms};

/* Requests alone to begin with; what is proven by the exact finish. */
static enum proof prove(bool stops_at_notes, const struct limit *budget)
{
    struct minimized m;
    struct err e = {.text = ""};
    struct world *w = system_open(&vessels, "fifo");
    is_enough = 0;
    is_weary = stops_at_notes;
    const struct minimize_options o = {.is_stopped = &is_enough,
                                       .budget = *budget,
                                       .stages = 1u << STAGE_EXACT,
                                       .keeps_checkpoints = true};
    CHECK_INT(minimize(w, &(struct plan){0}, &o, &m, &e), 0);
    CHECK_INT(m.best.steps.count, FULL);
    CHECK_INT(m.stopped_by != LIMIT_OPEN, stops_at_notes || budget->runs > 0);
    const enum proof proof = m.proof;
    minimized_release(&m);
    world_close(w);
    return proof;
}

TEST(what_was_not_looked_at_to_the_end_is_not_optimal)
{
    CHECK_INT(prove(false, &(struct limit){0}), PROOF_OPTIMAL);
    CHECK_INT(prove(true, &(struct limit){0}), PROOF_KINDS);
    CHECK_INT(prove(false, &(struct limit){.runs = 1}), PROOF_NONE);
}

/* Nothing was reported before the first request. */
TEST(changes_are_told_alike_before_and_after_the_first_variable)
{
    struct minimized m;
    has_way_of_crash = has_way_of_timer = false;
    reduce(&m, &(struct minimize_options){
                   .is_stopped = &never, .no_diverge = true, .keeps_checkpoints = true});
    CHECK_INT(m.best.steps.count, 3);
    minimized_release(&m);
}

/* Of processes that look ahead. */
struct tellers {
    pid_t first;
    uint32_t others; /* how often another one than the first told */
};

static int note_teller(void *context, const struct plan *p, const struct execution *best,
                       struct err *e)
{
    struct tellers *t = context;
    (void)p;
    (void)best;
    (void)e;
    t->others += getpid() != t->first;
    return 0;
}

/* A rumour goes to a node by chance whenever a node that knows it has thought twice. */
enum { PEOPLE = 4 };
struct person {
    bool knows;
    uint32_t thoughts;
};

static const char *const rumours[] = {"rumour", NULL};
static const char *const thoughts[] = {"think", NULL};

static void meet(void *state)
{
    ((struct person *)state)->knows = clew_self() == 0;
    clew_timer_set(0, 1 + clew_random(3));
}

static void hear(void *state, const struct clew_message *m)
{
    (void)m;
    ((struct person *)state)->knows = true;
}

static void think(void *state, int timer)
{
    struct person *person = state;
    if (++person->thoughts % 2 == 0 && person->knows) {
        clew_send((int)clew_random(PEOPLE), 0, NULL, 0);
    }
    clew_timer_set(timer, 1 + clew_random(3));
}

static bool is_secret(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        if (!((const struct person *)view->states[i])->knows) {
            return true;
        }
    }
    return false;
}

static const struct clew_property secrets[] = {{.name = "secret", .holds = is_secret}, {0}};
static const struct clew_system people = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "people",
                                          .node_count = PEOPLE,
                                          .messages = rumours,
                                          .timers = thoughts,
                                          .state_size = sizeof(struct person),
                                          .start = meet,
                                          .message = hear,
                                          .timer = think,
                                          .properties = secrets};

TEST(what_is_better_is_told_by_the_first_process_alone)
{
    struct tellers *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(t != MAP_FAILED);
    *t = (struct tellers){.first = getpid()};
    const struct minimize_options options = {.is_stopped = &never,
                                             .stages = 1u << STAGE_CHUNKS | 1u << STAGE_SINGLES |
                                                       1u << STAGE_ANEW,
                                             .budget = {.runs = 10000},
                                             .jobs = 2,
                                             .better = note_teller,
                                             .context = t};
    for (uint32_t seed = 1; seed < 6; seed++) {
        const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = seed}, .steps_max = 500};
        struct world *w = system_open(&people, "datagram");
        struct minimized m;
        struct err e = {.text = ""};
        CHECK_INT(minimize(w, &p, &options, &m, &e), 0);
        minimized_release(&m);
        world_close(w);
    }
    CHECK_INT(t->others, 0);
    CHECK_INT(munmap(t, sizeof *t), 0);
}

/* Whatever numbers its nodes drew, the result is known by the seed that it is told with. */
TEST(what_other_random_numbers_lead_to_can_be_replayed)
{
    static const enum stage stages[] = {STAGE_SEEDS, STAGE_TAILS, STAGE_DRIFT, STAGE_ANEW,
                                        STAGE_SHORTCUTS};
    uint32_t others = 0; /* seeds than the first */
    for (uint32_t i = 0; i < 15; i++) {
        const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = 1 + i}, .steps_max = 500};
        const struct minimize_options options = {
            .is_stopped = &never, .budget = {.runs = 4000}, .stages = 1u << stages[i % 5]};
        struct world *w = system_open(&people, "datagram");
        struct minimized m;
        struct recipe r = {0};
        struct execution x = {0};
        struct err e = {.text = ""};
        CHECK_INT(minimize(w, &p, &options, &m, &e), 0);
        others += m.plan.pick.seed != p.pick.seed;
        system_recipe(w, &m.plan, &m.best, &r);
        system_run(w, &r.plan, &x);
        CHECK_INT(x.outcome, OUTCOME_PROPERTY);
        CHECK_INT(x.hash, m.best.hash);
        execution_release(&x);
        recipe_release(&r);
        minimized_release(&m);
        world_close(w);
    }
    CHECK(others > 5);
}
