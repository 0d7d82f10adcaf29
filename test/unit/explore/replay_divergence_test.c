/* The sentence about a run that departs from its schedule. */
#include "explore/replay.h"
#include "test.h"

/* The index comes from a page that the program can write to. */
TEST(an_index_beyond_the_schedule_is_not_followed)
{
    static const enum outcome outcomes[] = {OUTCOME_DIVERGED, OUTCOME_UNSATISFIED};
    struct schedule s;
    schedule_init(&s);
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        const struct execution x = {.outcome = outcomes[i], .where = SIZE_MAX};
        char text[200];
        replay_say_divergence(&s, &x, text, sizeof text);
        CHECK_TEXT(text, "after 0 steps, the run does not say what it cannot follow");
    }
    schedule_release(&s);
}
