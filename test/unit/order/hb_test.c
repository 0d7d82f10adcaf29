#include "order/hb.h"

#include "order_of.h"

TEST(a_trace_that_contradicts_itself_loses_what_is_against_the_list)
{
    /* Each waits for the other's message. */
    const char *text = "A rcv c msg=1; A snd d msg=2; B rcv d msg=2; B snd c msg=1";
    CHECK_TEXT(strictly(text, 1, 2), "<");
    CHECK_TEXT(strictly(text, 3, 0), ">");
}

TEST(the_cycle_is_named)
{
    struct notes n = {0};
    struct hb hb;
    order_of(&hb, "A rcv c msg=1; A snd d msg=2; B rcv d msg=2; B snd c msg=1", HB_STRICT, &n);
    CHECK_INT(n.list.count, 1);
    CHECK(strstr(n.list.at[0].text, "contradicts itself (events ") != NULL);
    CHECK(strstr(n.list.at[0].text, "1 < 3 < 1") != NULL || strstr(n.list.at[0].text, "3 < 1 < 3"));
    CHECK(hb.follows_list);
    hb_release(&hb);
    notes_release(&n);
}

TEST(an_order_may_go_against_the_list_of_another_node)
{
    /* Clocks of nodes differ: the receive is listed first. */
    const char *text = "B@o rcv c msg=1; B@o w x; A@n snd c msg=1";
    CHECK_TEXT(strictly(text, 2, 1), "<");
    CHECK_TEXT(observed(text, 2, 1), "|");
}

TEST(times_of_zero_among_real_ones_are_noted)
{
    CHECK_INT(notes_about("A w x time=0; A w x time=5; A w x time=0", "time of 0"), 2);
    CHECK_INT(notes_about("A w x time=0; A w x time=0", "time of 0"), 0);
}

TEST(nothing_is_before_itself)
{
    CHECK_TEXT(strictly("A w x", 0, 0), "|");
}

TEST(a_path_may_lead_from_handler_to_handler)
{
    /* The first handler's message is received inside the second task's handler. */
    const char *text = "S snd c msg=1; S snd c msg=2;"
                       "A rcv c msg=1; A hb; A w x; A snd d msg=3; A he;"        /* 2 .. 6 */
                       "B rcv c msg=2; B hb; B rcv d msg=3; B w x; B he; B w y"; /* 7 .. 12 */
    CHECK_TEXT(strictly(text, 4, 10), "<");
    CHECK_TEXT(strictly(text, 6, 10), "|");
    CHECK_TEXT(strictly(text, 4, 12), "<");
    CHECK_TEXT(strictly(text, 4, 8), "|");
}
