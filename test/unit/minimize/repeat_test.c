/* Systems that are not the same every time: how often a replay must show it, and what is claimed.
 */
#include <string.h>

#include "minimize/minimize.h"
#include "system.h"
#include "test.h"

static volatile sig_atomic_t never;

/* One of six requests breaks the property, in runs whose number says so. */
enum { REQUESTS = 6, BAD = 3 };
static uint32_t run_number;
static bool (*shows_in_run)(uint32_t number);

struct node {
    bool is_bad;
};

static const char *const messages[] = {"a", "b", "c", "d", "e", "f", NULL};

static void ask(void)
{
    run_number++;
    for (int i = 0; i < REQUESTS; i++) {
        clew_request(0, i, "", 0);
    }
}

static void get(void *state, const struct clew_message *m)
{
    if (m->type == BAD && shows_in_run(run_number)) {
        ((struct node *)state)->is_bad = true;
    }
}

static bool is_good(const struct clew_view *view)
{
    return !((const struct node *)view->states[0])->is_bad;
}

static const struct clew_property properties[] = {{.name = "good", .holds = is_good}, {0}};
static const struct clew_system moody = {.version = CLEW_SIM_VERSION,
                                         .size = sizeof(struct clew_system),
                                         .name = "moody",
                                         .node_count = 1,
                                         .messages = messages,
                                         .state_size = sizeof(struct node),
                                         .setup = ask,
                                         .message = get,
                                         .properties = properties};

static bool shows_in_each_third(uint32_t number)
{
    return number % 3 == 0;
}

static bool shows_in_two_of_three(uint32_t number)
{
    return number % 3 != 0;
}

static bool shows_always(uint32_t number)
{
    return number > 0;
}

/* As a search would find the shortest, and then not again. */
static bool shows_in_the_first_twenty(uint32_t number)
{
    return number <= 20;
}

struct repeat {
    uint32_t wanted, runs;
    uint32_t stages;
};

static int reduce(struct minimized *m, const struct repeat *repeat, struct err *e)
{
    run_number = 0;
    struct world *w = system_open(&moody, "datagram");
    run_number = 0;
    const struct minimize_options o = {.is_stopped = &never,
                                       .stages = repeat->stages,
                                       .repeat_wanted = repeat->wanted,
                                       .repeat_runs = repeat->runs,
                                       .keeps_checkpoints = true};
    const int result = minimize(w, &(struct plan){0}, &o, m, e);
    world_close(w);
    return result;
}

enum { FEW_STAGES = 1u << STAGE_EXTERNALS | 1u << STAGE_SINGLES };

TEST(what_shows_in_one_of_three_is_found_and_made_short)
{
    struct minimized m;
    struct err e = {.text = ""};
    shows_in_run = shows_in_each_third;
    CHECK_INT(reduce(&m, &(struct repeat){1, 3, FEW_STAGES}, &e), 0);
    CHECK_INT(m.initial_steps, BAD + 1);
    CHECK_INT(m.best.steps.count, 1);
    CHECK(m.is_flaky);
    CHECK_INT(m.proof, PROOF_NONE);
    minimized_release(&m);
}

TEST(what_shows_in_two_of_three_is_found_and_made_short)
{
    struct minimized m;
    struct err e = {.text = ""};
    shows_in_run = shows_in_two_of_three;
    CHECK_INT(reduce(&m, &(struct repeat){2, 3, FEW_STAGES}, &e), 0);
    CHECK_INT(m.best.steps.count, 1);
    CHECK_INT(m.proof, PROOF_NONE);
    minimized_release(&m);
}

TEST(what_shows_less_often_than_wanted_is_refused)
{
    struct minimized m;
    struct err e = {.text = ""};
    shows_in_run = shows_in_each_third;
    CHECK_INT(reduce(&m, &(struct repeat){2, 4, FEW_STAGES}, &e), -1);
    CHECK_TEXT(e.text, "shows the same violation in fewer than 2 of 4 replays: use a larger N");
    CHECK_INT(m.replays, 7); /* three to see it, three in vain of the four that could be needed */
    minimized_release(&m);
    CHECK_INT(reduce(&m, &(struct repeat){1, 2, FEW_STAGES}, &e), -1);
    CHECK_TEXT(e.text,
               "shows no violation in 2 replays (the last: passed: the system came to rest)");
    minimized_release(&m);
    shows_in_run = shows_in_two_of_three;
    run_number = 0;
    CHECK_INT(reduce(&m, &(struct repeat){3, 3, FEW_STAGES}, &e), -1);
    minimized_release(&m);
}

/* Each candidate has as many replays as may be in vain and one, and what shows it as many again as
 * are wanted. */
TEST(replays_are_no_more_than_needed)
{
    struct minimized once;
    struct minimized often;
    struct err e = {.text = ""};
    shows_in_run = shows_always;
    CHECK_INT(reduce(&once, &(struct repeat){0, 0, FEW_STAGES}, &e), 0);
    CHECK_INT(reduce(&often, &(struct repeat){2, 6, FEW_STAGES}, &e), 0);
    CHECK_INT(once.best.steps.count, 1);
    CHECK_INT(once.proof, PROOF_MINIMAL);
    CHECK_INT(often.best.steps.count, 1);
    CHECK_INT(often.proof, PROOF_NONE);
    CHECK(often.replays <= once.replays * 5);
    minimized_release(&once);
    minimized_release(&often);
}

TEST(nothing_is_claimed_of_what_does_not_show_again)
{
    struct minimized m;
    struct err e = {.text = ""};
    shows_in_run = shows_in_the_first_twenty;
    CHECK_INT(reduce(&m, &(struct repeat){.stages = 0}, &e), 0);
    CHECK(m.replays > 20);
    CHECK(m.is_flaky);
    CHECK_INT(m.proof, PROOF_NONE);
    minimized_release(&m);
}
