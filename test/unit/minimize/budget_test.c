/* What the time of a budget is for: the search, and little more. */
#include <time.h>

#include "minimize/minimize.h"
#include "pick/operation_name.h"
#include "test.h"

static volatile sig_atomic_t never;

enum { NEEDED, IDLE, STEPS };

/* A world that does whatever is wanted of two steps, and breaks with the first. Candidates take no
 * time, replays of schedules some. */
struct slow {
    struct world world;
    uint32_t replay_ms;
};

static void take(struct execution *x, uint64_t name)
{
    const struct pick_operation o = {.name = name, .action = name};
    vec_push(&x->steps, (struct step){.operation = o, .cause = STEP_NONE});
    x->hash = name_mix(x->hash, name);
    if (name == NEEDED + 1) {
        x->outcome = OUTCOME_PROPERTY;
    }
}

static int run_slow(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    (void)e;
    x->outcome = OUTCOME_LIMIT;
    if (p->pick.wants != NULL) {
        for (size_t i = 0; i < p->pick.want_count; i++) {
            take(x, p->pick.wants[i].action);
        }
        return 0;
    }
    const long ns = (long)((struct slow *)w)->replay_ms * 1000000;
    (void)nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    const bool is_given = p->pick.turn_count == 0;
    for (size_t i = 0; i < (is_given ? STEPS : p->pick.turn_count); i++) {
        take(x, is_given ? i + 1 : p->pick.turns[i].name);
    }
    return 0;
}

static const struct world_ops slow_ops = {.name = "slow", .run = run_slow};

static void reduce(struct minimized *m, uint32_t replay_ms, uint64_t budget_ns)
{
    struct slow slow = {.world = {.ops = &slow_ops}, .replay_ms = replay_ms};
    struct err e = {.text = ""};
    const struct minimize_options o = {
        .is_stopped = &never, .budget = {.time_ns = budget_ns}, .stages = 1u << STAGE_SINGLES};
    CHECK_INT(minimize(&slow.world, &(struct plan){0}, &o, m, &e), 0);
    CHECK_INT(m->initial_steps, STEPS);
}

TEST(time_is_not_used_up_by_replays_of_what_was_given)
{
    struct minimized m;
    reduce(&m, 60, 100000000);
    CHECK_INT(m.given_replays, 2);
    CHECK_INT(m.best.steps.count, 1);
    minimized_release(&m);
}

TEST(when_time_is_over_replays_of_the_result_are_few)
{
    struct minimized m;
    reduce(&m, 400, 700000000);
    CHECK_INT(m.best.steps.count, 1);
    CHECK_INT(m.stopped_by, LIMIT_TIME);
    CHECK_INT(m.proof, PROOF_NONE);
    CHECK(m.stages[STAGE_NONE].replays - m.given_replays < 5);
    minimized_release(&m);
}

TEST(where_they_are_quick_all_are_made)
{
    struct minimized m;
    reduce(&m, 50, 200000000);
    CHECK_INT(m.proof, PROOF_MINIMAL);
    CHECK_INT(m.stages[STAGE_NONE].replays - m.given_replays, 10);
    minimized_release(&m);
}
