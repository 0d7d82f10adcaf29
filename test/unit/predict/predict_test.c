/* What traces predict, as wishes. */
#include "predict/predict.h"

#include "test.h"
#include "trace_of.h"

enum { PLACE_FIRST = 100, NAME_FIRST = 1000 };

/* An execution whose steps are the events of the trace, each at a place of its own. */
static struct execution execution_of(const struct trace *t)
{
    struct execution x = {0};
    for (uint32_t i = 0; i < t->events.count; i++) {
        const struct event *e = trace_at(t, i);
        vec_push(&x.steps, (struct step){.operation = {.name = NAME_FIRST + i,
                                                       .place = PLACE_FIRST + i,
                                                       .task = e->task,
                                                       .kind = e->kind}});
        vec_push(&x.event_steps, i);
    }
    return x;
}

static struct aims aims_of(const struct trace *t)
{
    struct aims aims = {0};
    struct execution x = execution_of(t);
    predict_aims(t, &x, &aims);
    execution_release(&x);
    return aims;
}

TEST(a_lock_cycle_holds_the_places_where_tasks_ask_for_the_second_lock)
{
    const struct trace *t = trace_of("order exact; T1 acq a; T1 acq b; T1 rel b; T1 rel a;"
                                     "T2 acq b; T2 acq a; T2 rel a; T2 rel b");
    struct aims aims = aims_of(t);
    CHECK(aims.list.count >= 1);
    const struct aim *aim = &aims.list.at[0];
    CHECK(aim->is_deadlock);
    CHECK_INT(aim->wish_count, 2);
    CHECK_INT(aim->wishes[0].kind, PICK_HOLD);
    CHECK_INT(aim->wishes[1].kind, PICK_HOLD);
    CHECK_INT(aim->wishes[0].second + aim->wishes[1].second, 2 * PLACE_FIRST + 1 + 5);
    vec_release(&aims.list);
}

TEST(locks_that_are_always_taken_in_one_order_predict_no_deadlock)
{
    const struct trace *t = trace_of("order exact; T1 acq a; T1 acq b; T1 rel b; T1 rel a;"
                                     "T2 acq a; T2 acq b; T2 rel b; T2 rel a");
    struct aims aims = aims_of(t);
    CHECK_INT(aims.list.count, 0);
    vec_release(&aims.list);
}

TEST(a_race_makes_the_access_that_came_first_wait)
{
    const struct trace *t = trace_of("order exact; T1 w x; T2 r x");
    struct aims aims = aims_of(t);
    bool is_there = false;
    vec_each (&aims.list, aim) {
        is_there = is_there ||
                   (aim->wishes[0].kind == PICK_AFTER && aim->wishes[0].second == PLACE_FIRST &&
                    aim->wishes[0].first == PLACE_FIRST + 1);
    }
    CHECK(is_there);
    vec_release(&aims.list);
}

/* A read and a write of one task, each under the lock, with another's write behind both. */
TEST(an_atomicity_violation_is_opened)
{
    const struct trace *t =
        trace_of("order exact; T1 acq m; T1 r x; T1 rel m; T1 acq m; T1 w x; T1 rel m;"
                 "T2 acq m; T2 w x; T2 rel m");
    struct aims aims = aims_of(t);
    bool is_there = false;
    vec_each (&aims.list, aim) {
        is_there = is_there ||
                   (aim->wish_count == 2 && aim->wishes[0].kind == PICK_EARLY &&
                    aim->wishes[0].first == NAME_FIRST + 1 && aim->wishes[1].kind == PICK_BETWEEN &&
                    aim->wishes[1].second == PLACE_FIRST + 4);
    }
    CHECK(is_there);
    vec_release(&aims.list);
}

TEST(an_event_that_was_no_step_is_nothing_to_aim_at)
{
    const struct trace *t = trace_of("order exact; T1 w x; T2 r x");
    struct execution x = execution_of(t);
    struct aims aims = {0};
    x.event_steps.at[1] = STEP_NONE;
    predict_aims(t, &x, &aims);
    CHECK_INT(aims.list.count, 0);
    vec_release(&aims.list);
    execution_release(&x);
}
