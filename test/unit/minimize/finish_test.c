/* Where minimization ends: what the exact finish finds and claims. */
#include <string.h>

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

static bool leave_one_out(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    if (index >= m->size) {
        return false;
    }
    *size = m->size - 1;
    memcpy(bytes, m->bytes, index);
    memcpy((char *)bytes + index, (const char *)m->bytes + index + 1, m->size - index - 1);
    return true;
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
                                        .shrink = leave_one_out};

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
    CHECK(m.is_stopped);
    CHECK_INT(m.best.steps.count, 2);
    CHECK_INT(m.proof, PROOF_NONE);
    minimized_release(&m);
}
