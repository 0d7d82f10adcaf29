/* Timers that bring nothing new. */
#include "base/mem.h"
#include "sim/sim.h"
#include "system.h"
#include "test.h"

enum { WAKE };
static const char *const messages[] = {"wake", NULL};
enum { BEAT };
static const char *const timers[] = {"beat", NULL};

struct node {
    uint32_t count;
    uint32_t period; /* the count begins anew there; 0: never; 1: it does not count */
};

static uint32_t period_of[2];
static uint32_t asked_at_rest;

static void start(void *state)
{
    struct node *node = state;
    node->period = period_of[clew_self()];
    clew_timer_set(BEAT, 10);
}

static void beat(void *state, int timer)
{
    struct node *node = state;
    node->count = node->period == 0 ? node->count + 1 : (node->count + 1) % node->period;
    clew_timer_set(timer, 10);
}

static void wake(void *state, const struct clew_message *m)
{
    (void)m;
    struct node *node = state;
    node->period = 0;
    clew_timer_cancel(BEAT);
}

static void wake_both(void)
{
    clew_request(0, WAKE, NULL, 0);
    clew_request(1, WAKE, NULL, 0);
}

static bool at_rest(const struct clew_view *view)
{
    (void)view;
    asked_at_rest++;
    return true;
}

static const struct clew_property properties[] = {
    {.name = "at rest", .holds = at_rest, .is_at_rest = true}, {0}};

static const struct clew_system beating = {.version = CLEW_SIM_VERSION,
                                           .size = sizeof(struct clew_system),
                                           .name = "beating",
                                           .node_count = 2,
                                           .messages = messages,
                                           .timers = timers,
                                           .state_size = sizeof(struct node),
                                           .start = start,
                                           .message = wake,
                                           .timer = beat,
                                           .properties = properties};

/* How the run ends, and after how many steps. */
static struct execution run_beating(uint32_t first, uint32_t second, bool is_woken,
                                    enum pick_strategy strategy)
{
    struct clew_system system = beating;
    struct execution x = {0};
    period_of[0] = first;
    period_of[1] = second;
    asked_at_rest = 0;
    system.setup = is_woken ? wake_both : NULL;
    struct world *w = system_open(&system, "fifo");
    system_run(w, &(struct plan){.pick = {.strategy = strategy, .seed = 5}, .steps_max = 100}, &x);
    world_close(w);
    return x;
}

TEST(timers_that_change_nothing_are_rest)
{
    struct execution x = run_beating(1, 1, false, PICK_FIRST);
    CHECK_INT(x.outcome, OUTCOME_PASSED);
    CHECK_INT(x.steps.count, 2);
    CHECK_INT(asked_at_rest, 1);
    execution_release(&x);
}

TEST(timers_that_go_round_end_and_are_no_rest)
{
    struct execution x = run_beating(3, 1, false, PICK_FIRST);
    CHECK_INT(x.outcome, OUTCOME_PASSED);
    CHECK(x.steps.count < 10);
    CHECK_INT(asked_at_rest, 0);
    CHECK_TEXT(x.what, "nothing is left but timers that go round and round");
    execution_release(&x);
}

TEST(timers_that_count_go_on)
{
    struct execution x = run_beating(0, 1, false, PICK_FIRST);
    CHECK_INT(x.outcome, OUTCOME_LIMIT);
    CHECK_INT(x.steps.count, 100);
    execution_release(&x);
}

/* Whatever strategy there is: what is not a timer is not kept waiting by timers. */
TEST(what_else_there_is_comes_when_timers_go_round)
{
    for (int strategy = 0; strategy < PICK_STRATEGY_COUNT; strategy++) {
        struct execution x = run_beating(1, 2, true, (enum pick_strategy)strategy);
        CHECK_INT(x.outcome, OUTCOME_PASSED);
        uint32_t woken = 0;
        vec_each (&x.steps, step) {
            woken += step->operation.kind == EVENT_RECV;
        }
        CHECK_INT(woken, 2);
        CHECK_INT(asked_at_rest, 1);
        execution_release(&x);
    }
}

/* A checkpoint knows which timers rest, and what happens after it wakes them. */
TEST(a_message_wakes_timers_that_rested_at_a_checkpoint)
{
    struct clew_system system = beating;
    struct execution x = {0};
    const struct pick_operation *pending = NULL;
    const struct plan p = {0};
    period_of[0] = period_of[1] = 1;
    system.setup = wake_both;
    struct world *w = system_open(&system, "fifo");
    w->ops->begin(w, &p, &x);
    CHECK_INT(w->ops->pending(w, &pending), 4); /* two messages, two timers */
    CHECK(w->ops->step(w, 2, &x));
    CHECK_INT(w->ops->pending(w, &pending), 3);
    void *copy = w->ops->checkpoint(w);
    CHECK(w->ops->step(w, 0, &x)); /* what wakes the first node cancels its timer */
    w->ops->restore(w, copy);
    CHECK_INT(w->ops->pending(w, &pending), 3);
    CHECK(w->ops->step(w, 1, &x)); /* the second is woken, and the first one's timer may fire */
    CHECK_INT(w->ops->pending(w, &pending), 2);
    mem_free(copy);
    execution_release(&x);
    world_close(w);
}
