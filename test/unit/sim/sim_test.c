#include "sim/sim.h"

#include "base/mem.h"
#include "system.h"
#include "test.h"

/* Two nodes: the first sends 1 2 3 to the second, which writes down what comes. */
enum { NUMBER, OTHER };
static const char *const messages[] = {"number", "other", NULL};
enum { EARLY, LATE };
static const char *const timers[] = {"early", "late", NULL};

struct node {
    int digits; /* what came, as a decimal number */
    uint64_t fired_at[2];
    uint64_t chance;
    char *memory;
};

static void send_three(void *state)
{
    (void)state;
    for (int i = 1; clew_self() == 0 && i <= 3; i++) {
        clew_send(1, NUMBER, &i, sizeof i);
    }
}

static void write_down(void *state, const struct clew_message *m)
{
    struct node *node = state;
    node->digits = node->digits * 10 + *(const int *)m->bytes;
    clew_variable("digits", node->digits);
}

static const struct clew_system sender = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "sender",
                                          .node_count = 2,
                                          .messages = messages,
                                          .state_size = sizeof(struct node),
                                          .start = send_three,
                                          .message = write_down};

static int64_t digits_at_the_end;

static bool note_digits(const struct clew_view *view)
{
    const int64_t *digits = clew_value(view, 1, "digits");
    digits_at_the_end = digits == NULL ? -1 : *digits;
    return true;
}

static const struct clew_property noting[] = {{.name = "note", .holds = note_digits}, {0}};

/* Which orders 200 random runs show. */
static uint32_t count_orders(const char *net)
{
    struct clew_system system = sender;
    system.properties = noting;
    struct world *w = system_open(&system, net);
    struct execution x = {0};
    bool seen[1000] = {false};
    uint32_t count = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}}, &x);
        CHECK_INT(x.outcome, OUTCOME_PASSED);
        CHECK_INT(x.steps.count, 3);
        count += !seen[digits_at_the_end];
        seen[digits_at_the_end] = true;
    }
    execution_release(&x);
    world_close(w);
    return count;
}

TEST(a_fifo_net_keeps_the_order_and_a_datagram_net_does_not)
{
    CHECK_INT(count_orders("fifo"), 1);
    CHECK_INT(count_orders("datagram"), 6);
}

TEST(steps_are_written_as_schedules_have_them)
{
    struct world *w = system_open(&sender, NULL);
    struct execution x = {0};
    system_run(w, &(struct plan){0}, &x);
    char *steps = system_steps(w, &x);
    CHECK_TEXT(steps, "message n1>n2/number#1\n"
                      "message n1>n2/number#2\n"
                      "message n1>n2/number#3\n");
    mem_free(steps);
    execution_release(&x);
    world_close(w);
}

TEST(only_what_departs_from_the_default_is_in_a_schedule)
{
    struct world *w = system_open(&sender, "datagram");
    struct execution x = {0};
    uint64_t seed = 0;
    const struct plan random = {.pick = {.strategy = PICK_RANDOM}};
    struct plan p = random;
    do {
        p.pick.seed = seed++;
        system_run(w, &p, &x);
    } while (x.steps.at[0].choice != 0 || x.steps.at[1].choice == 0);
    char *text = system_schedule(w, &p, &x);
    CHECK(strstr(text, "system sender\nworld sim\nnet datagram\nseed ") != NULL);
    CHECK(strstr(text, "then stop\nsteps 3\nhash ") != NULL);
    CHECK(strstr(text, "\nmessage n1>n2/number#3 at=2\n") != NULL);
    CHECK(strstr(text, "#1") == NULL);
    CHECK(strstr(text, "#2") == NULL);
    mem_free(text);
    execution_release(&x);
    world_close(w);
}

static void set_timers(void *state)
{
    struct node *node = state;
    clew_timer_set(LATE, 50);
    clew_timer_set(EARLY, 80);
    clew_timer_set(EARLY, 20);
    node->chance = clew_random(1000000);
    node->memory = clew_alloc(100);
    node->memory[99] = 'x';
}

static void fire(void *state, int timer)
{
    struct node *node = state;
    node->fired_at[timer] = clew_now();
    clew_variable(timers[timer], (int64_t)clew_now());
    if (timer == EARLY) {
        clew_timer_cancel(LATE);
        clew_timer_set(LATE, 7);
    }
    clew_free(node->memory);
    node->memory = NULL;
}

static const struct clew_system clocks = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "clocks",
                                          .node_count = 1,
                                          .messages = messages,
                                          .timers = timers,
                                          .state_size = sizeof(struct node),
                                          .start = set_timers,
                                          .timer = fire,
                                          .message = write_down};

static bool check_times(const struct clew_view *view)
{
    const struct node *node = view->states[0];
    return clew_step(view) < 2 || (node->fired_at[EARLY] == 20 && node->fired_at[LATE] == 27) ||
           clew_broken(view, "early %d late %d", (int)node->fired_at[EARLY],
                       (int)node->fired_at[LATE]);
}

static const struct clew_property times[] = {{.name = "times", .holds = check_times}, {0}};

TEST(timers_fire_in_the_order_of_their_times_and_move_the_clock)
{
    struct clew_system system = clocks;
    system.properties = times;
    struct world *w = system_open(&system, NULL);
    struct execution x = {0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        system_run(w, &(struct plan){.pick = {.strategy = PICK_RANDOM, .seed = seed}}, &x);
        CHECK_INT(x.outcome, OUTCOME_PASSED);
    }
    char *steps = system_steps(w, &x);
    CHECK_TEXT(steps, "timer main@n1 timer-fire early #2\ntimer main@n1 timer-fire late #2\n");
    mem_free(steps);
    execution_release(&x);
    world_close(w);
}

TEST(the_same_plan_is_the_same_execution)
{
    struct world *w = system_open(&sender, "datagram");
    struct execution first = {0};
    struct execution second = {0};
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct plan p = {.pick = {.strategy = PICK_POS, .seed = seed}, .wants_states = true};
        system_run(w, &p, &first);
        system_run(w, &p, &second);
        CHECK(first.hash == second.hash);
        CHECK(vec_last(&first.steps)->state == vec_last(&second.steps)->state);
    }
    execution_release(&first);
    execution_release(&second);
    world_close(w);
}

TEST(the_limit_of_steps_ends_a_run)
{
    struct world *w = system_open(&sender, NULL);
    struct execution x = {0};
    system_run(w, &(struct plan){.steps_max = 2}, &x);
    CHECK_INT(x.outcome, OUTCOME_LIMIT);
    CHECK_INT(x.steps.count, 2);
    /* A run that comes to rest just then is at rest. */
    system_run(w, &(struct plan){.steps_max = 3}, &x);
    CHECK_INT(x.outcome, OUTCOME_PASSED);
    execution_release(&x);
    world_close(w);
}

TEST(a_checkpoint_brings_everything_back)
{
    struct world *w = system_open(&sender, "datagram");
    const struct plan p = {0};
    struct execution x = {0};
    const struct pick_operation *pending = NULL;
    w->ops->begin(w, &p, &x);
    CHECK_INT(w->ops->pending(w, &pending), 3);
    CHECK(w->ops->step(w, 2, &x));
    const uint64_t hash = w->ops->state_hash(w);
    const uint64_t name = pending[0].name;
    void *copy = w->ops->checkpoint(w);
    CHECK(w->ops->step(w, 1, &x));
    CHECK(w->ops->step(w, 0, &x));
    CHECK_INT(w->ops->pending(w, &pending), 0);
    CHECK(w->ops->state_hash(w) != hash);
    w->ops->restore(w, copy);
    CHECK(w->ops->state_hash(w) == hash);
    CHECK_INT(w->ops->pending(w, &pending), 2);
    CHECK(pending[0].name == name);
    mem_free(copy);
    execution_release(&x);
    world_close(w);
}

TEST(a_system_that_is_not_well_described_is_refused)
{
    static const char *const odd[] = {"a b", NULL};
    static const char *const twice[] = {"a", "a", NULL};
    struct clew_system wrong[8];
    for (int i = 0; i < 8; i++) {
        wrong[i] = sender;
    }
    wrong[0].version = 99;
    wrong[1].node_count = 0;
    wrong[2].messages = odd;
    wrong[3].messages = twice;
    wrong[4].message = NULL;
    wrong[5].name = "";
    wrong[6].state_size = SIZE_MAX;
    wrong[7].version = wrong[7].size = 0; /* as one that is written without CLEW_SYSTEM */
    static const char *const said[] = {"was built for version 99",
                                       "0 nodes; there may be 1 to 64",
                                       "the message \"a b\" may have letters",
                                       "two of the messages are called a",
                                       "has no function for messages",
                                       "the name of a system is empty",
                                       "a state or disk is larger than",
                                       "write it as CLEW_SYSTEM(...) of clew/sim.h"};
    for (int i = 0; i < 8; i++) {
        struct world *w = NULL;
        struct err e = {.text = ""};
        CHECK_INT(sim_open_system(&w, &wrong[i], &clew_calls, &(struct sim_options){0}, &e), -1);
        if (strstr(e.text, said[i]) == NULL) {
            fail_msg("\"%s\" does not say \"%s\"", e.text, said[i]);
        }
        CHECK(w == NULL);
    }
    struct world *w = NULL;
    struct err e = {.text = ""};
    CHECK_INT(sim_open_system(&w, &sender, &clew_calls, &(struct sim_options){.net = "ipx"}, &e),
              -1);
    CHECK_TEXT(e.text, "there is no net called \"ipx\": fifo or datagram");
    /* Before what is chosen: that is of the other. */
    const struct sim_options other = {.system = "receiver", .with = "a-bug"};
    CHECK_INT(sim_open_system(&w, &sender, &clew_calls, &other, &e), -1);
    CHECK_TEXT(e.text, "is the system \"sender\", and the schedule is for \"receiver\"");
}

TEST(a_file_that_holds_no_system_is_refused)
{
    struct world *w = NULL;
    struct err e = {.text = ""};
    CHECK_INT(sim_open(&w, "/nowhere/at/all.so", &(struct sim_options){0}, &e), -1);
    CHECK_TEXT(e.text, "/nowhere/at/all.so: No such file or directory");
    CHECK_INT(sim_open(&w, "/etc/passwd", &(struct sim_options){0}, &e), -1);
    CHECK(strstr(e.text, "/etc/passwd: is no shared object that can be loaded") == e.text);
}

TEST(a_run_is_a_trace)
{
    struct clew_system system = clocks;
    struct world *w = system_open(&system, NULL);
    struct execution x = {0};
    struct trace t;
    trace_init(&t);
    system_run(w, &(struct plan){.trace = &t}, &x);
    trace_seal(&t);
    CHECK_INT(t.tables.order, ORDER_EXACT);
    static const uint16_t kinds[] = {EVENT_THREAD_START, EVENT_HANDLER_BEGIN, EVENT_TIMER_SET,
                                     EVENT_TIMER_SET,    EVENT_TIMER_SET,     EVENT_HANDLER_END,
                                     EVENT_TIMER_FIRE,   EVENT_HANDLER_BEGIN, EVENT_VARIABLE,
                                     EVENT_TIMER_CANCEL, EVENT_TIMER_SET,     EVENT_HANDLER_END,
                                     EVENT_TIMER_FIRE,   EVENT_HANDLER_BEGIN, EVENT_VARIABLE,
                                     EVENT_HANDLER_END,  EVENT_THREAD_END};
    CHECK_INT(t.events.count, sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < t.events.count; i++) {
        CHECK_INT(t.events.at[i].kind, kinds[i]);
    }
    CHECK_INT(t.events.at[6].time, 20);
    trace_release(&t);
    execution_release(&x);
    world_close(w);
}

static void fail_on_second(void *state)
{
    (void)state;
    if (clew_self() == 1) {
        clew_fail("nobody is second");
    }
}

TEST(a_violation_is_told_by_the_node_whose_code_it_was)
{
    struct clew_system system = sender;
    system.start = fail_on_second;
    struct world *w = system_open(&system, NULL);
    struct execution x = {0};
    struct trace t;
    uint32_t count = 0;
    trace_init(&t);
    system_run(w, &(struct plan){.trace = &t}, &x);
    CHECK_INT(x.outcome, OUTCOME_ASSERTION);
    vec_each (&t.events, e) {
        if (e->kind == EVENT_VIOLATION) {
            const struct task *task = vec_at(&t.tables.tasks, e->task);
            CHECK_TEXT(names_text(&t.tables.names, task->node), "n2");
            count++;
        }
    }
    CHECK_INT(count, 1);
    trace_release(&t);
    execution_release(&x);
    world_close(w);
}
