/* Liveness: runs that come to rest too early, or go round and round. */
#include "base/mem.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"

enum { AFTER_YOU, DONE, TYPE_COUNT };
static const char *const messages[] = {"after-you", "done", NULL};
enum { RETRY };
static const char *const timers[] = {"retry", NULL};

struct node {
    int patience;
};

/* Opens the system with a specification, both until close_all. */
struct opened {
    struct spec spec;
    struct world *world;
};

static void open_all(struct opened *o, const struct clew_system *system, const char *text)
{
    struct err e = {.text = ""};
    struct in in;
    in_open_memory(&in, text, strlen(text));
    spec_init(&o->spec);
    if (spec_parse(&o->spec, &in, &e) < 0 ||
        sim_open_system(&o->world, system, &clew_calls, &(struct sim_options){.spec = &o->spec},
                        &e) < 0) {
        fail_msg("%s", e.text);
    }
}

static void close_all(struct opened *o)
{
    world_close(o->world);
    spec_release(&o->spec);
}

/* Runs with 50 seeds; all must end in the same way, which is told. */
static enum outcome outcome_of(const struct clew_system *system, const char *text,
                               struct execution *x)
{
    struct opened o;
    open_all(&o, system, text);
    enum outcome first = OUTCOME_PASSED;
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = seed}, .steps_max = 100};
        system_run(o.world, &p, x);
        first = seed == 0 ? x->outcome : first;
        CHECK_INT(x->outcome, first);
    }
    close_all(&o);
    return first;
}

/* Two polite nodes at a door: each lets the other go first, for ever. In the fixed twin the first
 * goes when it has been asked twice. */
static void start_polite(void *state)
{
    (void)state;
    clew_variable("through", 0);
    if (clew_self() == 0) {
        clew_send(1, AFTER_YOU, NULL, 0);
    }
}

static void start_patient(void *state)
{
    ((struct node *)state)->patience = 2;
    start_polite(state);
}

static void be_polite(void *state, const struct clew_message *m)
{
    struct node *node = state;
    if (clew_self() == 0 && node->patience > 0 && --node->patience == 0) {
        clew_variable("through", 1);
        return;
    }
    clew_send(m->from, AFTER_YOU, NULL, 0);
}

static const struct clew_system polite = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "polite",
                                          .node_count = 2,
                                          .messages = messages,
                                          .state_size = sizeof(struct node),
                                          .start = start_polite,
                                          .message = be_polite};

static const char someone_goes[] = "someone_goes: always eventually n1.through = 1";

TEST(a_livelock_is_named_with_its_loop)
{
    struct execution x = {0};
    CHECK_INT(outcome_of(&polite, someone_goes, &x), OUTCOME_LIVELOCK);
    CHECK_INT(x.steps.count, 2);
    CHECK_TEXT(x.key, "livelock: someone_goes");
    CHECK_TEXT(x.what, "someone_goes does not hold while steps 1 to 2 go on for ever: "
                       "n1.through = 0");
    execution_release(&x);
}

TEST(its_fixed_twin_passes)
{
    struct clew_system fixed = polite;
    struct execution x = {0};
    fixed.start = start_patient;
    CHECK_INT(outcome_of(&fixed, someone_goes, &x), OUTCOME_PASSED);
    execution_release(&x);
}

TEST(what_holds_in_a_loop_goes_on)
{
    struct execution x = {0};
    CHECK_INT(outcome_of(&polite, "waits: always eventually n1.through = 0", &x), OUTCOME_LIMIT);
    CHECK_INT(x.steps.count, 100);
    execution_release(&x);
}

TEST(a_broken_promise_at_rest_is_a_matter_of_liveness)
{
    struct clew_system fixed = polite;
    struct execution x = {0};
    fixed.start = start_patient;
    CHECK_INT(outcome_of(&fixed, "second: always eventually n2.through = 1", &x), OUTCOME_LIVENESS);
    CHECK_TEXT(x.what, "second does not hold now that the system is at rest: n2.through = 0");
    execution_release(&x);
}

TEST(what_nothing_could_mend_is_a_broken_property)
{
    struct clew_system fixed = polite;
    struct execution x = {0};
    fixed.start = start_patient;
    CHECK_INT(outcome_of(&fixed, "stays: always n1.through = 1 implies once n2.through = 1", &x),
              OUTCOME_PROPERTY);
    CHECK_INT(outcome_of(&fixed, "at_once: always next n1.through = 1", &x), OUTCOME_PROPERTY);
    execution_release(&x);
}

TEST(a_property_that_reads_the_count_of_steps_finds_no_loop)
{
    struct execution x = {0};
    CHECK_INT(outcome_of(&polite, "late: always eventually n1.through = 1 or steps > 1000", &x),
              OUTCOME_LIMIT);
    execution_release(&x);
}

/* The second chats with itself for ever, while a message that ends the first's waiting is on its
 * way. */
static void start_chat(void *state)
{
    (void)state;
    clew_variable("through", 0);
    clew_send(clew_self() == 0 ? 0 : 1, clew_self() == 0 ? DONE : AFTER_YOU, NULL, 0);
}

static void chat(void *state, const struct clew_message *m)
{
    (void)state;
    if (m->type == DONE) {
        clew_variable("through", 1);
    } else {
        clew_send(1, AFTER_YOU, NULL, 0);
    }
}

TEST(a_loop_that_keeps_a_message_waiting_is_not_fair)
{
    struct clew_system chatting = polite;
    struct execution x = {0};
    chatting.start = start_chat;
    chatting.message = chat;
    CHECK_INT(outcome_of(&chatting, someone_goes, &x), OUTCOME_LIMIT);
    CHECK_INT(outcome_of(&chatting, "second: always eventually n2.through = 1", &x),
              OUTCOME_LIVELOCK);
    execution_release(&x);
}

/* Timers that are set again whenever they fire. In the second, the other node's timer would help,
 * and nothing keeps it from firing for ever. */
static void start_timer(void *state)
{
    (void)state;
    clew_variable("through", 0);
    clew_timer_set(RETRY, clew_self() == 0 ? 10 : 1000);
}

static void retry(void *state, int timer)
{
    (void)state;
    if (clew_self() == 0) {
        clew_timer_set(timer, 10);
    } else {
        clew_variable("through", 1);
    }
}

TEST(a_timer_that_is_set_fires_some_time)
{
    struct clew_system retrying = polite;
    struct execution x = {0};
    retrying.timers = timers;
    retrying.start = start_timer;
    retrying.timer = retry;
    CHECK_INT(outcome_of(&retrying, "helped: always eventually n2.through = 1", &x),
              OUTCOME_PASSED);
    CHECK_INT(outcome_of(&retrying, someone_goes, &x), OUTCOME_LIVELOCK);
    execution_release(&x);
}

TEST(durations_are_those_of_the_loop)
{
    struct clew_system retrying = polite;
    struct execution x = {0};
    retrying.node_count = 1;
    retrying.timers = timers;
    retrying.start = start_timer;
    retrying.timer = retry;
    CHECK_INT(outcome_of(&retrying, "soon: always eventually <= 25ms n1.through = 1", &x),
              OUTCOME_LIVELOCK);
    CHECK_INT(x.steps.count, 1);
    CHECK_INT(outcome_of(&retrying, "still: always eventually <= 25ms n1.through = 0", &x),
              OUTCOME_PASSED);
    execution_release(&x);
}

TEST(a_livelock_is_had_again_from_its_schedule)
{
    struct opened o;
    struct execution x = {0};
    struct execution again = {0};
    open_all(&o, &polite, someone_goes);
    system_run(o.world, &(struct plan){.pick = {.strategy = PICK_POS, .seed = 3}}, &x);
    system_run(o.world, &(struct plan){.pick = {.strategy = PICK_POS, .seed = 3}}, &again);
    CHECK_INT(again.outcome, OUTCOME_LIVELOCK);
    CHECK(again.hash == x.hash);
    execution_release(&again);
    execution_release(&x);
    close_all(&o);
}
