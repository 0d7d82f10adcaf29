/* Nodes that wait for one message, helpers beside them, messages that runs do not go on without,
 * smaller requests. */
#include "base/mem.h"
#include "pick/operation_name.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"

enum { ASK, ANSWER, NOTE };
static const char *const messages[] = {"ask", "answer", "note", NULL};
enum { TICK };
static const char *const timers[] = {"tick", NULL};
enum { COUNT_UP, OTHER };
static const char *const helpers[] = {"count-up", "other", NULL};

struct node {
    int64_t came; /* types of what came and timers (9), as digits */
};

static void take_note(struct node *node, int digit)
{
    node->came = node->came * 10 + digit;
    clew_variable("came", node->came);
}

/* The first asks the second, and blocks; notes from the third, and its own timer, must wait. */
static void ask_and_block(void *state)
{
    (void)state;
    if (clew_self() == 0) {
        clew_send(1, ASK, NULL, 0);
        clew_timer_set(TICK, 1);
        (void)clew_disk_write(0, "x", 1);
        clew_await(1, ANSWER);
    } else if (clew_self() == 2) {
        clew_send(0, NOTE, NULL, 0);
    }
}

/* A note goes before the answer: it is overtaken. */
static void answer(void *state, const struct clew_message *m)
{
    take_note(state, m->type + 1);
    if (m->type == ASK) {
        clew_send(m->from, NOTE, NULL, 0);
        clew_send(m->from, ANSWER, NULL, 0);
    }
}

static void tick(void *state, int timer)
{
    (void)timer;
    take_note(state, 9);
}

static void written(void *state, uint32_t ticket, bool is_failed)
{
    (void)ticket;
    (void)is_failed;
    take_note(state, 8);
}

static int64_t came_at_the_end[3];

static bool note_what_came(const struct clew_view *view)
{
    for (uint32_t i = 0; i < 3; i++) {
        const struct node *node = view->states[i];
        came_at_the_end[i] = node == NULL ? -1 : node->came;
    }
    return true;
}

static const struct clew_property noting[] = {{.name = "note", .holds = note_what_came}, {0}};

static const struct clew_system asking = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "asking",
                                          .node_count = 3,
                                          .messages = messages,
                                          .timers = timers,
                                          .disk_size = 1,
                                          .state_size = sizeof(struct node),
                                          .start = ask_and_block,
                                          .message = answer,
                                          .timer = tick,
                                          .written = written,
                                          .properties = noting};

static int64_t first_digit(int64_t number)
{
    while (number >= 10) {
        number /= 10;
    }
    return number;
}

TEST(a_blocked_node_gets_the_answer_before_all_else)
{
    for (int net = 0; net < 2; net++) {
        struct world *w = system_open(&asking, net == 0 ? "fifo" : "datagram");
        struct execution x = {0};
        bool is_noted_first = false;
        for (uint64_t seed = 0; seed < 200; seed++) {
            system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}}, &x);
            CHECK_INT(x.outcome, OUTCOME_PASSED);
            CHECK_INT(x.steps.count, 6);
            CHECK_INT(first_digit(came_at_the_end[0]), ANSWER + 1);
            is_noted_first = is_noted_first || came_at_the_end[0] / 1000 == 23;
        }
        CHECK(is_noted_first);
        execution_release(&x);
        world_close(w);
    }
}

static void await_each_other(void *state)
{
    (void)state;
    if (clew_self() < 2) {
        clew_send(1 - clew_self(), ASK, NULL, 0);
        clew_await(1 - clew_self(), ANSWER);
    }
}

TEST(nodes_that_wait_for_each_other_are_a_deadlock)
{
    struct clew_system system = asking;
    system.start = await_each_other;
    struct world *w = system_open(&system, "fifo");
    struct execution x = {0};
    system_run(w, &(struct plan){0}, &x);
    CHECK_INT(x.outcome, OUTCOME_DEADLOCK);
    CHECK_TEXT(x.key, "deadlock: n1 n2");
    CHECK_TEXT(x.what, "nothing can happen any more: n1 waits for answer from n2, n2 waits for "
                       "answer from n1");
    execution_release(&x);
    world_close(w);
}

static void await_twice(void *state)
{
    (void)state;
    clew_await(0, ANSWER);
    clew_await(1, ANSWER);
}

TEST(a_handler_awaits_once)
{
    struct clew_system system = asking;
    system.start = await_twice;
    struct world *w = system_open(&system, "fifo");
    struct execution x = {0};
    system_run(w, &(struct plan){0}, &x);
    CHECK_INT(x.outcome, OUTCOME_ASSERTION);
    CHECK_TEXT(x.what, "clew_await() is called twice by one handler");
    execution_release(&x);
    world_close(w);
}

TEST(a_crash_ends_the_wait)
{
    struct world *w = system_open(&asking, "fifo");
    struct execution x = {0};
    struct plan p = {.pick = {.strategy = PICK_RANDOM}};
    p.faults.most[FAULT_CRASH] = 1;
    uint32_t crashes = 0;
    for (p.pick.seed = 0; p.pick.seed < 200; p.pick.seed++) {
        system_run(w, &p, &x);
        crashes += came_at_the_end[0] == -1;
        CHECK(came_at_the_end[0] != -1 || x.outcome == OUTCOME_PASSED);
        CHECK(came_at_the_end[1] != -1 || came_at_the_end[0] > 0 || x.outcome == OUTCOME_DEADLOCK);
    }
    CHECK(crashes > 0);
    execution_release(&x);
    world_close(w);
}

/* Helpers */

static void start_helpers(void *state)
{
    (void)state;
    if (clew_self() == 0) {
        const int numbers[] = {1, 2};
        clew_help(COUNT_UP, &numbers[0], sizeof(int));
        clew_help(COUNT_UP, &numbers[1], sizeof(int));
        clew_await(1, ANSWER);
    }
}

/* Three messages in one step. */
static void count_up(int helper, const void *bytes, size_t size)
{
    CHECK_INT(helper, COUNT_UP);
    CHECK_INT(size, sizeof(int));
    for (int i = 0; i < 3; i++) {
        clew_send(2, NOTE, bytes, size);
    }
    clew_send(1, ASK, NULL, 0);
}

static void note_numbers(void *state, const struct clew_message *m)
{
    if (m->type == NOTE && m->size > 0) {
        take_note(state, *(const int *)m->bytes);
    } else if (m->type == ASK) {
        clew_send(m->from, ANSWER, NULL, 0);
    }
}

static const struct clew_system helped = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "helped",
                                          .node_count = 3,
                                          .messages = messages,
                                          .state_size = sizeof(struct node),
                                          .start = start_helpers,
                                          .message = note_numbers,
                                          .properties = noting,
                                          .helpers = helpers,
                                          .help = count_up};

TEST(a_helper_is_one_step_that_nothing_interrupts)
{
    struct world *w = system_open(&helped, "fifo");
    struct execution x = {0};
    uint32_t orders[2] = {0, 0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}}, &x);
        CHECK_INT(x.outcome, OUTCOME_PASSED);
        CHECK(came_at_the_end[2] == 111222 || came_at_the_end[2] == 222111);
        orders[came_at_the_end[2] == 111222]++;
    }
    CHECK(orders[0] > 0);
    CHECK(orders[1] > 0);
    execution_release(&x);
    world_close(w);
}

TEST(helpers_are_steps_of_a_schedule)
{
    struct world *w = system_open(&helped, "fifo");
    struct execution x = {0};
    const struct plan p = {.pick = {.strategy = PICK_RANDOM, .seed = 3}, .steps_max = 2};
    system_run(w, &p, &x);
    char *steps = system_steps(w, &x);
    CHECK(strstr(steps, "task helper@n1 handler-begin count-up #") == steps);
    mem_free(steps);
    execution_release(&x);
    world_close(w);
}

/* Messages that are not left out. */

static void send_both(void *state)
{
    (void)state;
    if (clew_self() == 0) {
        clew_send(1, ASK, NULL, 0);
        clew_send_unignorable(1, NOTE, NULL, 0);
    }
}

static const struct clew_system sending = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "sending",
                                           .node_count = 3,
                                           .messages = messages,
                                           .state_size = sizeof(struct node),
                                           .start = send_both,
                                           .message = note_numbers,
                                           .properties = noting};

TEST(no_fault_loses_what_is_unignorable)
{
    struct world *w = system_open(&sending, "fifo");
    struct execution x = {0};
    struct plan p = {.pick = {.strategy = PICK_RANDOM}, .wants_pending = true};
    p.faults.most[FAULT_DROP] = 2;
    for (p.pick.seed = 0; p.pick.seed < 100; p.pick.seed++) {
        system_run(w, &p, &x);
        uint32_t unignorable = 0;
        vec_each (&x.steps, step) {
            unignorable += step->operation.is_unignorable;
            CHECK(step->operation.fault == 0 || !step->operation.is_unignorable);
        }
        CHECK_INT(unignorable, 1);
    }
    execution_release(&x);
    world_close(w);
}

/* On a fifo net the note comes behind the question, which nobody wants. */
TEST(a_run_in_part_goes_on_until_what_is_unignorable_is_there)
{
    struct world *w = system_open(&sending, "fifo");
    struct execution x = {0};
    system_run(w, &(struct plan){0}, &x);
    const struct pick_operation note = x.steps.at[1].operation;
    CHECK(note.is_unignorable);
    struct pick_want want = {.action = note.action, .content = note.content};
    const struct plan p = {.pick = {.wants = &want, .want_count = 1}};
    system_run(w, &p, &x);
    CHECK_INT(x.steps.count, 0);
    want.is_unignorable = true;
    system_run(w, &p, &x);
    CHECK_INT(x.steps.count, 2);
    CHECK(x.steps.at[1].operation.name == note.name);
    const struct pick_turn turn = {.name = note.name, .is_unignorable = true};
    system_run(w,
               &(struct plan){.pick = {.turns = &turn, .turn_count = 1, .is_lenient = true},
                              .steps_max = 2},
               &x);
    CHECK_INT(x.steps.count, 2);
    CHECK(x.steps.at[1].operation.name == note.name);
    execution_release(&x);
    world_close(w);
}

/* Requests that are made smaller, by leaving out one number each. */

static void ask_for_three(void)
{
    const uint8_t numbers[] = {1, 2, 3};
    clew_request(0, NOTE, numbers, sizeof numbers);
}

static void add_up(void *state, const struct clew_message *m)
{
    struct node *node = state;
    const uint8_t *numbers = m->bytes;
    for (size_t i = 0; i < m->size; i++) {
        node->came += numbers[i];
    }
}

TEST(requests_are_made_smaller_as_the_system_proposes)
{
    struct clew_system system = sending;
    system.start = NULL;
    system.setup = ask_for_three;
    system.message = add_up;
    system.shrink = system_leave_one_out;
    struct world *w = system_open(&system, "fifo");
    struct execution x = {0};
    system_run(w, &(struct plan){0}, &x);
    CHECK_INT(came_at_the_end[0], 6);
    const uint64_t request = x.steps.at[0].operation.name;
    static const int64_t sums[] = {5, 4, 3};
    struct plan_content smaller;
    struct err e;
    for (uint32_t i = 0; i < 3; i++) {
        system_run(w, &(struct plan){0}, &x);
        CHECK_INT(w->ops->shrink(w, request, i, &smaller, &e), 1);
        uint8_t kept[2];
        CHECK_INT(smaller.size, sizeof kept);
        memcpy(kept, smaller.bytes, sizeof kept);
        smaller.bytes = kept;
        system_run(w, &(struct plan){.contents = &smaller, .content_count = 1}, &x);
        CHECK_INT(came_at_the_end[0], sums[i]);
    }
    CHECK_INT(w->ops->shrink(w, request, 1, &smaller, &e), 1); /* of two numbers, now */
    CHECK_INT(smaller.size, 1);
    CHECK_INT(w->ops->shrink(w, request, 2, &smaller, &e), 0);
    CHECK_INT(w->ops->shrink(w, request + 1, 0, &smaller, &e), 0);
    execution_release(&x);
    world_close(w);
}
