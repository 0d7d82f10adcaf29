#include "world/recipe.h"

#include "pick/operation_name.h"
#include "test.h"

static int parse(struct recipe *r, const char *text, struct err *e)
{
    struct schedule s;
    struct in in;
    schedule_init(&s);
    in_open_memory(&in, text, strlen(text));
    int result = schedule_parse(&s, &in, e);
    if (result == 0) {
        result = recipe_parse(r, &s, e);
    }
    schedule_release(&s);
    return result;
}

static uint64_t text(const char *t)
{
    return name_text(t, strlen(t));
}

TEST(choices_become_turns_at_their_steps)
{
    struct recipe r = {0};
    struct err e = {.text = ""};
    CHECK_INT(parse(&r,
                    "clew-schedule 1\nfaults drop\nseed 7\nthen stop\nsteps 20\n"
                    "message a>b/vote#3 at=4\n"
                    "timer main@a timer-fire tick #2\n"
                    "fault drop \"a>b/vote#3\" at=9\n"
                    "fault crash b+2\n"
                    "fault crash b\n",
                    &e),
              0);
    CHECK_INT(r.plan.pick.turn_count, 5);
    const struct pick_turn *t = r.plan.pick.turns;
    const uint64_t vote = name_occurrence(name_of_messages(text("a"), text("b"), text("vote")), 3);
    CHECK(t[0].name == vote);
    CHECK_INT(t[0].step, 3);
    CHECK(t[1].name ==
          name_occurrence(
              name_of_operations(text("a"), text("main"), EVENT_TIMER_FIRE, text("tick")), 2));
    CHECK_INT(t[1].step, 4);
    CHECK(t[2].name == name_fault(FAULT_DROP, vote));
    CHECK_INT(t[2].step, 8);
    CHECK(t[3].name == name_fault(FAULT_CRASH, name_join(text("b"), 2)));
    CHECK(t[4].name == name_fault(FAULT_CRASH, text("b")));
    CHECK_INT(r.plan.steps_max, 20);
    CHECK_INT(r.plan.faults.most[FAULT_DROP], 1);
    CHECK_INT(r.plan.faults.most[FAULT_CRASH], 0);
    CHECK_INT(r.plan.pick.seed, 7);
    recipe_release(&r);
}

TEST(there_are_no_more_faults_than_a_schedule_of_all_steps_has)
{
    static const struct {
        const char *then;
        uint16_t crashes_most;
    } cases[] = {{"stop", 2}, {"random", 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[200];
        struct recipe r = {0};
        struct err e = {.text = ""};
        (void)snprintf(said, sizeof said,
                       "clew-schedule 1\nfaults crash restart\nseed 7\nthen %s\nsteps 9\n"
                       "fault crash a at=2\nfault crash b at=9\n",
                       cases[i].then);
        CHECK_INT(parse(&r, said, &e), 0);
        CHECK_INT(r.plan.faults.most[FAULT_CRASH], cases[i].crashes_most);
        CHECK_INT(r.plan.faults.most[FAULT_RESTART], i == 0 ? 0 : 1000);
        recipe_release(&r);
    }
}

TEST(constraints_speak_of_deliveries_as_receives)
{
    struct recipe r = {0};
    struct err e = {.text = ""};
    CHECK_INT(parse(&r,
                    "clew-schedule 1\nseed 7\nthen pos\n"
                    "forbid main@b recv a>b/vote #3 before main@b timer-fire tick #1\n"
                    "require main@b read x #1 from start\n",
                    &e),
              0);
    CHECK_INT(r.plan.pick.constraint_count, 2);
    CHECK(r.plan.pick.constraints[0].first ==
          name_occurrence(name_of_messages(text("a"), text("b"), text("vote")), 3));
    CHECK(r.plan.pick.constraints[0].is_negated);
    CHECK_INT(r.plan.pick.constraints[1].relation, PICK_FROM);
    CHECK_INT(r.plan.pick.constraints[1].second, 0);
    CHECK_INT(r.plan.pick.strategy, PICK_POS);
    CHECK_INT(r.plan.steps_max, 0);
    recipe_release(&r);
}

TEST(what_no_plan_can_say_is_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"clew-schedule 1\nthen magic\n", "line 2: there is no strategy called magic"},
        {"clew-schedule 1\nfault crash a at=3\nfault crash a at=3\n",
         "line 3: at=3 does not come after step 3"},
        {"clew-schedule 1\nsteps 2\nfault crash a at=3\n",
         "line 3: a choice is at step 3, and there are 2"},
        {"clew-schedule 1\nrandom main call rand #1 value=3\n",
         "line 2: only tasks, messages, timers and faults are chosen yet"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recipe r = {0};
        struct err e = {.text = ""};
        CHECK_INT(parse(&r, cases[i].text, &e), -1);
        CHECK_TEXT(e.text, cases[i].message);
        recipe_release(&r);
    }
}
