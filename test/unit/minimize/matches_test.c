/* What does the same, and brings something else. */
#include "minimize/minimize.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

enum { WEIGHT, WEIGHTS = 7 };
static const char *const messages[] = {"weight", NULL};

/* Of these some are on the scale at once, and it breaks under nine. */
static const int weights[WEIGHTS] = {3, 3, 3, 4, 5, 1, 1};

struct scale {
    int sum;
};

static void ask(void)
{
    for (int i = 0; i < WEIGHTS; i++) {
        clew_request(0, WEIGHT, &weights[i], sizeof weights[i]);
    }
}

static void get(void *state, const struct clew_message *m)
{
    ((struct scale *)state)->sum += *(const int *)m->bytes;
}

static bool is_whole(const struct clew_view *view)
{
    return ((const struct scale *)view->states[0])->sum < 9;
}

static const struct clew_property properties[] = {{.name = "is whole", .holds = is_whole}, {0}};
static const struct clew_system scale = {.version = CLEW_SIM_VERSION,
                                         .size = sizeof(struct clew_system),
                                         .name = "scale",
                                         .node_count = 1,
                                         .messages = messages,
                                         .state_size = sizeof(struct scale),
                                         .setup = ask,
                                         .message = get,
                                         .properties = properties};

static void reduce(const char *net, uint32_t stages, uint32_t jobs, struct minimized *m)
{
    struct err e = {.text = ""};
    const struct minimize_options o = {.stages = stages, .jobs = jobs, .is_stopped = &never};
    struct world *w = system_open(&scale, net);
    if (minimize(w, &(struct plan){0}, &o, m, &e) < 0) {
        fail_msg("%s", e.text);
    }
    world_close(w);
}

/* Three and three, without the last, have to become five and four: one other choice is not enough.
 */
TEST(two_others_may_be_needed_at_once)
{
    for (uint32_t jobs = 1; jobs <= 2; jobs++) {
        struct minimized m;
        reduce("datagram", 1u << STAGE_MATCHES, jobs, &m);
        CHECK_INT(m.initial_steps, 3);
        CHECK_INT(m.best.steps.count, 2);
        minimized_release(&m);
    }
}

TEST(leaving_out_does_not_come_to_it)
{
    struct minimized m;
    reduce("datagram", 1u << STAGE_SINGLES | 1u << STAGE_PAIRS | 1u << STAGE_CHUNKS, 1, &m);
    CHECK_INT(m.best.steps.count, 3);
    minimized_release(&m);
}

TEST(in_order_there_are_no_others)
{
    struct minimized m;
    reduce("fifo", 1u << STAGE_MATCHES, 1, &m);
    CHECK_INT(m.best.steps.count, 3);
    CHECK_INT(m.stages[STAGE_MATCHES].replays, 2 * 3); /* without each, and a look at it */
    minimized_release(&m);
}
