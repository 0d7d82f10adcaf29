/* What a timer sets going, left out as a whole, and what came of it alone; times of a clock. */
#include "minimize/minimize.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

/* Rounds: a timer of n1 begins a term and asks n2, which answers; then the timer is set again. All
 * of it is without need but the round that is answered after the go. Or what is wrong is that the
 * timer fired four times, and then no message is needed. */
static bool is_about_timers;

struct node {
    uint32_t term, fired;
    bool may_go, is_done;
};

enum { GO, ASK, YES };
static const char *const messages[] = {"go", "ask", "yes", NULL};
static const char *const timers[] = {"round", NULL};

static void ask_to_go(void)
{
    clew_request(0, GO, NULL, 0);
}

static void start(void *state)
{
    (void)state;
    if (clew_self() == 0) {
        clew_timer_set(0, 1);
    }
}

static void begin_round(void *state, int timer)
{
    struct node *node = state;
    (void)timer;
    node->term++;
    node->fired++;
    node->is_done = is_about_timers && node->fired == 4;
    clew_send(1, ASK, &node->term, sizeof node->term);
    if (is_about_timers) {
        clew_timer_set(0, 1);
    }
}

static void get(void *state, const struct clew_message *m)
{
    struct node *node = state;
    if (m->type == GO) {
        node->may_go = true;
    } else if (m->type == ASK) {
        clew_send(0, YES, m->bytes, m->size);
    } else {
        node->is_done = node->is_done || (node->may_go && !is_about_timers);
        clew_timer_set(0, 1);
    }
}

static bool is_not_done(const struct clew_view *view)
{
    const struct node *node = view->states[0];
    return node == NULL || !node->is_done;
}

static const struct clew_property properties[] = {{.name = "not done", .holds = is_not_done}, {0}};
static const struct clew_system rounds = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "rounds",
                                          .node_count = 2,
                                          .messages = messages,
                                          .timers = timers,
                                          .state_size = sizeof(struct node),
                                          .setup = ask_to_go,
                                          .start = start,
                                          .message = get,
                                          .timer = begin_round,
                                          .properties = properties};

/* The first run by chance from this seed on that is long enough: few are. */
static void find(struct world *w, struct plan *p, uint32_t steps_min)
{
    struct execution x = {0};
    *p = (struct plan){.pick = {.strategy = PICK_RANDOM, .seed = 1004500}, .steps_max = 200};
    do {
        p->pick.seed++;
        system_run(w, p, &x);
    } while (x.outcome != OUTCOME_PROPERTY || x.steps.count < steps_min);
    execution_release(&x);
}

static void reduce(enum stage stage, uint32_t steps_min, struct minimized *m)
{
    struct err e = {.text = ""};
    struct plan p;
    struct world *w = system_open(&rounds, "fifo");
    find(w, &p, steps_min);
    if (minimize(w, &p,
                 &(struct minimize_options){.is_stopped = &never, .stages = UINT32_C(1) << stage},
                 m, &e) < 0) {
        fail_msg("%s", e.text);
    }
    CHECK(m->initial_steps >= steps_min);
    world_close(w);
}

TEST(a_round_goes_as_a_whole)
{
    struct minimized m;
    is_about_timers = false;
    reduce(STAGE_REACTIONS, 20, &m);
    CHECK_INT(m.best.steps.count, 4); /* go, timer, ask, yes */
    CHECK(m.stages[STAGE_REACTIONS].replays < 40);
    minimized_release(&m);
}

/* The clock of n1 ticks with its timer, and n2 has it from the question. */
TEST(a_time_of_the_clock_goes_as_a_whole)
{
    struct minimized m;
    is_about_timers = false;
    reduce(STAGE_CLUSTERS, 20, &m);
    CHECK_INT(m.best.steps.count, 4);
    CHECK(m.stages[STAGE_CLUSTERS].replays < 40);
    minimized_release(&m);
}

/* Each answer sets the timer: all that is later came of it. */
TEST(a_cone_holds_all_later_rounds)
{
    struct minimized m;
    is_about_timers = false;
    reduce(STAGE_CONES, 20, &m);
    CHECK_INT(m.best.steps.count, m.initial_steps);
    minimized_release(&m);
}

TEST(what_came_of_a_timer_goes_without_it)
{
    struct minimized m;
    is_about_timers = true;
    reduce(STAGE_REACTIONS, 8, &m);
    CHECK_INT(m.best.steps.count, 4);
    vec_each (&m.best.steps, step) {
        CHECK_INT(step->operation.kind, EVENT_TIMER_FIRE);
    }
    minimized_release(&m);
}
