#include "sim/sim.h"

#include <string.h>

#include "test.h"

/* A system whose nodes count themselves when they start. */
static bool is_silent;
static uint32_t node_count;
static uint32_t started;

static const char *const messages[] = {"nothing", NULL};

static void start(void *state)
{
    (void)state;
    started += !is_silent;
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
}

static const struct clew_bug bugs[] = {
    {.name = "silent", .about = "does not count", .is_on = &is_silent},
    {0},
};
static const struct clew_setting settings[] = {
    {.name = "nodes", .about = "how many there are", .value = &node_count, .least = 1, .most = 9},
    {0},
};
/* Where nodes are silent, messages may overtake each other. */
static void adjust(struct clew_system *system)
{
    system->net = is_silent ? "datagram" : "fifo";
}

static const struct clew_system counting = {.version = CLEW_SIM_VERSION,
                                            .size = sizeof(struct clew_system),
                                            .name = "counting",
                                            .messages = messages,
                                            .start = start,
                                            .message = message,
                                            .bugs = bugs,
                                            .settings = settings,
                                            .node_count_chosen = &node_count,
                                            .adjust = adjust};

static int open_with(struct world **w, const char *with, struct err *e)
{
    static const struct clew_calls *calls;
    is_silent = false;
    node_count = 3;
    started = 0;
    return sim_open_system(w, &counting, &calls, &(struct sim_options){.with = with}, e);
}

/* How many nodes start. */
static uint32_t started_with(const char *with)
{
    struct world *w = NULL;
    struct err e;
    struct execution x = {0};
    CHECK_INT(open_with(&w, with, &e), 0);
    CHECK_INT(world_run(w, &(struct plan){0}, &x, &e), 0);
    CHECK(with == NULL ? w->with == NULL : strcmp(w->with, with) == 0);
    execution_release(&x);
    world_close(w);
    return started;
}

TEST(a_system_is_as_it_says_until_something_is_chosen)
{
    CHECK_INT(started_with(NULL), 3);
    CHECK_INT(started_with("nodes=5"), 5);
    CHECK_INT(started_with("silent"), 0);
    CHECK_INT(started_with("nodes=2,nodes=4"), 4);
    CHECK_INT(started_with("nodes=9,silent"), 0);
}

static void check_refused(const char *with, const char *because)
{
    struct world *w = NULL;
    struct err e = {.text = ""};
    CHECK_INT(open_with(&w, with, &e), -1);
    CHECK(w == NULL);
    CHECK(strstr(e.text, because) != NULL);
}

TEST(what_cannot_be_chosen_is_refused_by_name)
{
    check_refused("", "no bug called \"\"");
    check_refused("silent,", "no bug called \"\"");
    check_refused("loud", "no bug called \"loud\" (it has silent");
    check_refused("nodes", "no bug called \"nodes\"");
    check_refused("speed=3", "no setting called \"speed\"");
    check_refused("silent=1", "no setting called \"silent\"");
    check_refused("nodes=", "from 1 to 9");
    check_refused("nodes=0", "nodes=0: nodes is a number from 1 to 9");
    check_refused("nodes=10", "from 1 to 9");
    check_refused("nodes=-1", "from 1 to 9");
    check_refused("nodes=3x,silent", "nodes=3x: nodes is a number");
    check_refused("nodes=99999999999999999999999", "from 1 to 9");
}

TEST(a_system_adjusts_itself_to_what_is_chosen)
{
    struct world *w = NULL;
    struct err e;
    CHECK_INT(open_with(&w, NULL, &e), 0);
    CHECK_TEXT(w->net, "fifo");
    world_close(w);
    CHECK_INT(open_with(&w, "silent", &e), 0);
    CHECK_TEXT(w->net, "datagram");
    world_close(w);
}
