/* Fuzz files: what comes from outside, and when. */
#include "base/mem.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"
#include "world/recipe.h"

/* Three nodes that write down the numbers they are sent, and pass on what "pass" brings to n3. */
enum { PUT, PASS };
static const char *const messages[] = {"put", "pass", NULL};

struct node {
    int64_t digits; /* what came, as a decimal number */
};

static void start(void *state)
{
    (void)state;
    clew_variable("started", 1);
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    if (m->type == PASS && clew_self() != 2) {
        for (int i = 1; i <= 3; i++) {
            clew_send(2, PUT, &i, sizeof i);
        }
        return;
    }
    node->digits = node->digits * 10 + (m->size == 0 ? 9 : *(const int *)m->bytes);
    clew_variable("digits", node->digits);
}

static int64_t digits_of[3]; /* at the end; -1: down */

static bool note_digits(const struct clew_view *view)
{
    for (uint32_t i = 0; i < 3; i++) {
        const struct node *node = view->states[i];
        digits_of[i] = node == NULL ? -1 : node->digits;
    }
    return true;
}

static const struct clew_property noting[] = {
    {.name = "note", .holds = note_digits, .is_at_rest = true}, {0}};

static const struct clew_system writers = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "writers",
                                           .node_count = 3,
                                           .messages = messages,
                                           .state_size = sizeof(struct node),
                                           .start = start,
                                           .message = message,
                                           .properties = noting};

static int open_with(struct world **w, const struct clew_system *system, const char *config,
                     struct err *e)
{
    struct clew_system configured = *system;
    configured.config = config;
    return sim_open_system(w, &configured, &clew_calls, &(struct sim_options){0}, e);
}

static struct world *open_writers(const char *config)
{
    struct world *w = NULL;
    struct err e = {.text = ""};
    if (open_with(&w, &writers, config, &e) < 0) {
        fail_msg("%s", e.text);
    }
    return w;
}

/* The steps of the run in the default order, freed with mem_free. */
static char *steps_of(const char *config)
{
    struct world *w = open_writers(config);
    struct execution x = {0};
    system_run(w, &(struct plan){.steps_max = 100}, &x);
    CHECK_INT(x.outcome, OUTCOME_PASSED);
    char *steps = system_steps(w, &x);
    execution_release(&x);
    world_close(w);
    return steps;
}

#define CHECK_STEPS(config, wanted)     \
    do {                                \
        char *steps = steps_of(config); \
        CHECK_TEXT(steps, wanted);      \
        mem_free(steps);                \
    } while (0)

TEST(requests_arrive_with_their_bytes)
{
    CHECK_STEPS("initial:\n"
                "  - {request: put, to: n1, numbers: [4]}\n"
                "  - {request: put, to: n1, numbers: [2]}\n"
                "  - {request: put, to: n3}\n",
                "message client>n1/put#1\nmessage client>n1/put#2\nmessage client>n3/put#1\n");
    CHECK_INT(digits_of[0], 42);
    CHECK_INT(digits_of[1], 0);
    CHECK_INT(digits_of[2], 9);
}

TEST(a_seed_draws_the_same_events_and_another_draws_others)
{
    struct world *w = open_writers("generate:\n"
                                   "  events: 6\n"
                                   "  from: [{request: put, to: any, numbers: [1..9]}]\n");
    struct execution x = {0};
    int64_t first = 0;
    uint32_t different = 0;
    for (uint64_t i = 0; i < 20; i++) {
        const uint64_t seed = i / 2;
        system_run(w, &(struct plan){.pick = {.seed = seed}}, &x);
        CHECK_INT(x.steps.count, 6);
        const int64_t now = digits_of[0] * 1000000 + digits_of[1] * 1000 + digits_of[2];
        different += i > 0 && now != first;
        CHECK(i % 2 == 0 || now == first);
        first = now;
    }
    CHECK_INT(different, 9);
    execution_release(&x);
    world_close(w);
}

TEST(a_wait_holds_back_what_stands_behind_it)
{
    CHECK_STEPS("initial:\n"
                "  - {request: pass, to: n1}\n"
                "  - wait: n3.digits >= 12\n"
                "  - {request: put, to: n3}\n",
                "message client>n1/pass#1\nmessage n1>n3/put#1\nmessage n1>n3/put#2\n"
                "message n1>n3/put#3\nmessage client>n3/put#1\n");
    CHECK_STEPS("initial:\n"
                "  - {request: pass, to: n1}\n"
                "  - wait: rest\n"
                "  - {request: put, to: n2}\n",
                "message client>n1/pass#1\nmessage n1>n3/put#1\nmessage n1>n3/put#2\n"
                "message n1>n3/put#3\nmessage client>n2/put#1\n");
}

/* In every order that there is. */
TEST(no_order_brings_what_is_waited_for_too_early)
{
    struct world *w = open_writers("initial:\n"
                                   "  - {request: pass, to: n1}\n"
                                   "  - wait: n3.digits >= 12 and messages(n1, n3) < 2\n"
                                   "  - {request: put, to: n3}\n");
    struct execution x = {0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}}, &x);
        CHECK(digits_of[2] == 1239 || digits_of[2] == 1293);
    }
    execution_release(&x);
    world_close(w);
}

TEST(a_wait_for_what_never_comes_ends_at_rest)
{
    CHECK_STEPS("initial:\n"
                "  - {request: put, to: n1}\n"
                "  - wait: n2.digits > 5\n"
                "  - wait: n2.started = 7\n"
                "  - {request: put, to: n2}\n",
                "message client>n1/put#1\nmessage client>n2/put#1\n");
}

TEST(faults_strike_in_their_turn)
{
    CHECK_STEPS("initial:\n"
                "  - {request: put, to: n1}\n"
                "  - wait: n1.digits = 9\n"
                "  - crash: n1\n"
                "  - crash: n1\n" /* is down: nothing to wait for */
                "  - restart: any\n"
                "  - wait: n1.started = 1\n"
                "  - {request: put, to: n1, numbers: [5]}\n",
                "message client>n1/put#1\nfault crash n1\nfault restart n1\n"
                "message client>n1/put#2\n");
    CHECK_INT(digits_of[0], 5);
    CHECK_STEPS("initial:\n"
                "  - partition: n1\n"
                "  - {request: pass, to: n1}\n"
                "  - wait: rest\n"
                "  - heal: any\n",
                "fault partition n1\nmessage client>n1/pass#1\nfault heal n1\n"
                "message n1>n3/put#1\nmessage n1>n3/put#2\nmessage n1>n3/put#3\n");
}

/* A budget that has the same fault does not list it twice. */
TEST(a_fault_from_outside_stands_beside_those_of_the_budget)
{
    struct world *w = open_writers("initial: [{crash: n2}, {request: put, to: n1}]");
    struct execution x = {0};
    struct plan p = {.pick = {.strategy = PICK_RANDOM}, .wants_pending = true};
    p.faults.most[FAULT_CRASH] = 1;
    uint32_t both_down = 0;
    for (p.pick.seed = 0; p.pick.seed < 200; p.pick.seed++) {
        system_run(w, &p, &x);
        CHECK_INT(digits_of[1], -1);
        both_down += digits_of[0] == -1 || digits_of[2] == -1;
        vec_each (&x.steps, step) {
            for (uint32_t i = 0; i < step->pending_count; i++) {
                for (uint32_t k = 0; k < i; k++) {
                    CHECK(x.pending.at[step->pending_first + i].name !=
                          x.pending.at[step->pending_first + k].name);
                }
            }
        }
    }
    CHECK(both_down > 0);
    CHECK(both_down < 200);
    execution_release(&x);
    world_close(w);
}

TEST(a_schedule_brings_the_run_again)
{
    const char *config = "initial: [{request: pass, to: n1}, {crash: any}, {restart: any}]\n"
                         "generate:\n"
                         "  events: 8\n"
                         "  from:\n"
                         "    - {request: put, to: any, numbers: [1..9], weight: 3}\n"
                         "    - {crash: any, most: 1}\n"
                         "    - {partition: any}\n"
                         "    - {heal: any, needs: partition}\n";
    struct world *w = open_writers(config);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct execution x = {0};
        struct execution again = {0};
        struct schedule s;
        struct recipe r = {0};
        struct err e = {.text = ""};
        const struct plan p = {.pick = {.strategy = PICK_POS, .seed = seed}, .steps_max = 200};
        system_run(w, &p, &x);
        schedule_init(&s);
        recipe_write(&s, w, &p, &x);
        CHECK(recipe_parse(&r, &s, &e) == 0);
        system_run(w, &r.plan, &again);
        CHECK_INT(again.steps.count, x.steps.count);
        CHECK(again.hash == x.hash);
        recipe_release(&r);
        schedule_release(&s);
        execution_release(&x);
        execution_release(&again);
    }
    world_close(w);
}

/* Whether the schedule of the execution makes it again. */
static bool is_made_again(struct world *w, const struct plan *p, const struct execution *x)
{
    struct execution again = {0};
    struct schedule s;
    struct recipe r = {0};
    struct err e = {.text = ""};
    schedule_init(&s);
    recipe_write_whole(&s, w, p, x);
    CHECK_INT(recipe_parse(&r, &s, &e), 0);
    system_run(w, &r.plan, &again);
    const bool is_same = again.hash == x->hash && again.without.count == x->without.count;
    execution_release(&again);
    recipe_release(&r);
    schedule_release(&s);
    return is_same;
}

/* The steps of the first run without those of these numbers, in a world of their own. */
static char *steps_without(const char *config, uint32_t out, struct execution *left)
{
    struct world *w = open_writers(config);
    struct execution x = {0};
    struct pick_want wants[20];
    uint32_t count = 0;
    system_run(w, &(struct plan){.steps_max = 20}, &x);
    for (uint32_t i = 0; i < x.steps.count; i++) {
        const struct pick_operation *o = &x.steps.at[i].operation;
        wants[count] = (struct pick_want){
            .action = o->action, .content = o->content, .match = PICK_SAME_OR_OLDEST};
        count += (out >> i & 1) == 0;
    }
    const struct plan p = {.pick = {.wants = wants, .want_count = count}};
    system_run(w, &p, left);
    char *steps = system_steps(w, left);
    CHECK(is_made_again(w, &p, left));
    execution_release(&x);
    world_close(w);
    return steps;
}

TEST(faults_and_waits_are_passed_over_for_what_is_wanted_behind_them)
{
    static const char config[] = "initial:\n"
                                 "  - {request: put, to: n1, numbers: [1]}\n"
                                 "  - crash: n1\n"
                                 "  - wait: n3.digits >= 99\n"
                                 "  - restart: n1\n"
                                 "  - partition: n3\n"
                                 "  - {request: put, to: n2, numbers: [2]}\n";
    struct execution x = {0};
    /* client>n1/put#1, crash n1, restart n1, partition n3, client>n2/put#1 */
    char *steps = steps_without(config, 0, &x);
    CHECK_TEXT(steps, "message client>n1/put#1\nfault crash n1\nfault restart n1\n"
                      "fault partition n3\nmessage client>n2/put#1\n");
    CHECK_INT(x.without.count, 0);
    mem_free(steps);
    steps = steps_without(config, 1 << 1 | 1 << 2 | 1 << 3, &x);
    CHECK_TEXT(steps, "message client>n1/put#1\nmessage client>n2/put#1\n");
    CHECK_INT(x.without.count, 3); /* nobody is down: the restart is over with */
    CHECK_INT(x.without.at[0], 1);
    CHECK_INT(x.without.at[1], 2);
    CHECK_INT(x.without.at[2], 4);
    mem_free(steps);
    steps = steps_without(config, 1 << 1 | 1 << 2, &x);
    CHECK_TEXT(steps, "message client>n1/put#1\nfault partition n3\nmessage client>n2/put#1\n");
    CHECK_INT(x.without.count, 2);
    mem_free(steps);
    execution_release(&x);
}

TEST(nothing_is_passed_over_for_a_request_that_is_on_its_way)
{
    struct execution x = {0};
    char *steps = steps_without("initial:\n"
                                "  - {request: put, to: n1, numbers: [1]}\n"
                                "  - crash: n1\n"
                                "  - restart: n1\n"
                                "  - {request: put, to: n1, numbers: [2]}\n",
                                1 << 0, &x);
    CHECK_TEXT(steps, "fault crash n1\nfault restart n1\nmessage client>n1/put#2\n");
    CHECK_INT(x.without.count, 0);
    mem_free(steps);
    execution_release(&x);
}

/* Which orders of three messages each of two channels shows in 300 runs. */
TEST(a_channel_may_keep_the_order_where_others_do_not)
{
    struct world *w = open_writers("net: datagram\n"
                                   "channels: [{from: n1, net: fifo}, {from: client, net: fifo}]\n"
                                   "generate: {events: 1, from: [{request: pass, to: n1, most: 1}, "
                                   "{request: pass, to: n2, most: 1}]}\n");
    struct execution x = {0};
    bool seen[2][1000] = {{false}};
    uint32_t orders[2] = {0, 0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}}, &x);
        const uint32_t sender = x.steps.at[0].operation.node;
        CHECK(digits_of[2] >= 123);
        CHECK(digits_of[2] <= 321);
        orders[sender] += !seen[sender][digits_of[2]];
        seen[sender][digits_of[2]] = true;
    }
    CHECK_INT(orders[0], 1);
    CHECK_INT(orders[1], 6);
    CHECK_TEXT(w->net, "datagram");
    execution_release(&x);
    world_close(w);
}

/* Properties of one moment. */

static bool below_two(const struct clew_view *view)
{
    const struct node *node = view->states[0];
    return node->digits != 2 || clew_broken(view, "digits is %d after %d steps", (int)node->digits,
                                            (int)clew_step(view));
}

static const struct clew_property fleeting[] = {{.name = "not two", .holds = below_two}, {0}};

static struct execution run_fleeting(const char *config)
{
    struct clew_system system = writers;
    struct world *w = NULL;
    struct err e = {.text = ""};
    struct execution x = {0};
    system.properties = fleeting;
    CHECK(open_with(&w, &system, config, &e) == 0);
    system_run(w, &(struct plan){0}, &x);
    world_close(w);
    return x;
}

TEST(properties_are_asked_every_so_many_steps_and_at_the_end)
{
    struct execution x = run_fleeting("initial:\n"
                                      "  - {request: put, to: n1, numbers: [2]}\n"
                                      "  - {request: put, to: n1, numbers: [3]}\n");
    CHECK_INT(x.outcome, OUTCOME_PROPERTY);
    CHECK_TEXT(x.key, "property: not two");
    execution_release(&x);
    x = run_fleeting("check_every: 2\n"
                     "initial:\n"
                     "  - {request: put, to: n1, numbers: [2]}\n"
                     "  - {request: put, to: n1, numbers: [3]}\n");
    CHECK_INT(x.outcome, OUTCOME_PASSED);
    execution_release(&x);
    x = run_fleeting("check_every: 5\n"
                     "initial: [{request: put, to: n1, numbers: [2]}]\n");
    CHECK_INT(x.outcome, OUTCOME_PROPERTY);
    execution_release(&x);
}

TEST(the_file_says_what_makes_violations_the_same)
{
    struct execution x = run_fleeting("fingerprint: what\n"
                                      "initial: [{request: put, to: n1, numbers: [2]}]\n");
    CHECK_TEXT(x.key, "property: not two does not hold: digits is 2 after 1 steps");
    execution_release(&x);
    x = run_fleeting("fingerprint: any\n"
                     "initial: [{request: put, to: n1, numbers: [2]}]\n");
    CHECK_TEXT(x.key, "any violation");
    execution_release(&x);
}

TEST(steps_and_faults_of_the_file_are_defaults)
{
    struct world *w = open_writers("steps: 77\nfaults: drop=2\ninitial: [{request: put, to: n1}]");
    struct sim_defaults own = sim_defaults(w);
    CHECK_INT(own.depth, 77);
    CHECK_TEXT(own.faults, "drop=2");
    CHECK(!own.is_drawn);
    world_close(w);
    w = open_writers("initial: [{request: put, to: any}]");
    CHECK(sim_defaults(w).is_drawn);
    world_close(w);
}

TEST(what_is_wrong_is_told_with_its_place)
{
    static const struct {
        const char *config;
        const char *wanted;
    } wrongs[] = {
        {"initial:\n  - wait: n1.digits >\n", "its config: line 2, column 22: "},
        {"initial:\n  - wait: n9.digits > 1\n", "its config: line 2, column 11: "},
        {"initial:\n\n  - wait: eventually n1.digits > 1\n", "its config: line 3, column 11: "},
        {"initial: [{wait: n1.digits = }]\n", "its config: line 1, column "},
        {"initial: [{request: putt, to: n1}]\n", "its config: line 1, column 11: "},
        {"faults: crush=1\n", "its config: line 1, column 9: there is no fault called"},
        {"channels:\n  - {from: n7, net: fifo}\n", "its config: line 2, column 5: "},
        {"initial: 7\n", "its config: line 1, column 10: "},
        {"initial:\n  - wait: 'true\n\n      x: possibly true'\n", "its config: line 2, "},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct world *w = NULL;
        struct err e = {.text = ""};
        CHECK(open_with(&w, &writers, wrongs[i].config, &e) < 0);
        CHECK(w == NULL);
        if (strncmp(e.text, wrongs[i].wanted, strlen(wrongs[i].wanted)) != 0) {
            fail_msg("%s: %s", wrongs[i].config, e.text);
        }
    }
}

TEST(systems_of_an_older_header_are_taken_and_of_a_newer_one_refused)
{
    struct err e = {.text = ""};
    struct world *w = NULL;
    struct clew_system system = writers;
    system.helpers = (const char *const[]){"not", "looked", "at", NULL};
    system.size = offsetof(struct clew_system, helpers);
    CHECK(sim_open_system(&w, &system, &clew_calls, &(struct sim_options){0}, &e) == 0);
    world_close(w);
    system.size = sizeof system + 8;
    CHECK(sim_open_system(&w, &system, &clew_calls, &(struct sim_options){0}, &e) < 0);
    CHECK(strstr(e.text, "was built with another clew/sim.h") != NULL);
    system.size = 16;
    CHECK(sim_open_system(&w, &system, &clew_calls, &(struct sim_options){0}, &e) < 0);
}

TEST(a_node_is_down_until_it_is_started)
{
    CHECK_STEPS("initial:\n"
                "  - {request: put, to: n1, numbers: [4]}\n"
                "  - {request: put, to: n2, numbers: [5]}\n"
                "  - wait: n1.digits = 4\n"
                "  - start: n2\n",
                "message client>n1/put#1\nfault restart n2\nmessage client>n2/put#1\n");
    CHECK_INT(digits_of[1], 5);
}

TEST(no_restart_is_a_start)
{
    struct world *w = open_writers("initial: [{start: n2}, {crash: n1}]\n");
    const struct plan p = {.faults = {.most = {[FAULT_RESTART] = 9}}, .steps_max = 20};
    struct execution x = {0};
    const struct pick_operation *pending = NULL;
    w->ops->begin(w, &p, &x);
    CHECK_INT(w->ops->pending(w, &pending), 1);
    CHECK(w->ops->step(w, 0, &x));
    CHECK_INT(w->ops->pending(w, &pending), 1);
    CHECK(w->ops->step(w, 0, &x));
    CHECK_INT(w->ops->pending(w, &pending), 1);
    execution_release(&x);
    world_close(w);
}
