#include "order/context.h"

#include "order_of.h"

/* Two receives with handlers, a plain event between the second and the end. */
#define TWO_HANDLERS                                  \
    "S snd c msg=a; S snd c msg=b;"     /* 0 1 */     \
    "T rcv c msg=a; T hb; T w x; T he;" /* 2 3 4 5 */ \
    "T rcv c msg=b; T hb; T w y; T he;" /* 6 7 8 9 */ \
    "T w z"                             /* 10 */

TEST(a_handler_comes_after_its_receive)
{
    CHECK_TEXT(strictly(TWO_HANDLERS, 2, 4), "<");
    CHECK_TEXT(strictly(TWO_HANDLERS, 0, 5), "<");
}

TEST(two_handlers_of_a_task_are_not_ordered)
{
    CHECK_TEXT(strictly(TWO_HANDLERS, 4, 8), "|");
    CHECK_TEXT(observed(TWO_HANDLERS, 4, 8), "<");
}

TEST(a_receive_belongs_to_the_handler_that_it_begins)
{
    CHECK_TEXT(strictly(TWO_HANDLERS, 2, 6), "|");
    CHECK_TEXT(strictly(TWO_HANDLERS, 2, 8), "|");
    CHECK_TEXT(observed(TWO_HANDLERS, 2, 6), "<");
}

TEST(a_handler_comes_after_the_main_event_before_it)
{
    const char *text = "T rcv c msg=a; T hb; T he; T w x; T rcv c msg=b; T hb; T w y; T he";
    CHECK_TEXT(strictly(text, 3, 4), "<");
    CHECK_TEXT(strictly(text, 0, 6), "<");
}

TEST(receives_of_one_stream_keep_their_order_in_handlers)
{
    const char *text = "S snd c mode=tcp size=4; S snd c mode=tcp size=4;"
                       "T rcv c mode=tcp size=4; T hb; T w x; T he;"
                       "T rcv c mode=tcp size=4; T hb; T w y; T he";
    CHECK_TEXT(strictly(text, 2, 6), "<");
    CHECK_TEXT(strictly(text, 4, 8), "<");
    CHECK_TEXT(
        strictly("T rcv c mode=tcp size=4; T hb; T he; T rcv d mode=tcp size=4; T hb; T he", 0, 3),
        "|");
}

TEST(a_handler_ends_before_the_next_main_event_but_not_before_the_next_receive)
{
    CHECK_TEXT(strictly(TWO_HANDLERS, 4, 10), "<");
    CHECK_TEXT(strictly(TWO_HANDLERS, 8, 10), "<");
    CHECK_TEXT(strictly(TWO_HANDLERS, 4, 6), "|");
}

TEST(a_receive_without_handler_comes_after_earlier_handlers)
{
    CHECK_TEXT(strictly("T rcv c msg=a; T hb; T w x; T he; T rcv c msg=b; T w y", 2, 4), "<");
    CHECK_TEXT(strictly("T rcv c msg=a; T hb; T w x; T he; T rcv c msg=b", 2, 4), "<");
}

TEST(a_nested_handler_is_part_of_the_outer_one)
{
    const char *text = "T rcv c msg=a; T hb; T rcv c msg=b; T hb; T w x; T he; T w y; T he; T w z";
    CHECK_TEXT(strictly(text, 4, 6), "<");
    CHECK_TEXT(strictly(text, 6, 8), "<");
    CHECK_INT(notes_about(text, "inside another"), 1);
}

TEST(a_handler_never_ended_holds_the_rest_of_its_task)
{
    const char *text = "T rcv c msg=a; T hb; T w x; T rcv c msg=b; T w y";
    CHECK_TEXT(strictly(text, 2, 4), "<");
    CHECK_INT(notes_about(text, "never ends"), 1);
}

TEST(a_handler_without_receive_is_no_context)
{
    const char *text = "T rcv c msg=a; T log; T hb; T w x; T he; T rcv c msg=b; T hb; T w y; T he";
    CHECK_TEXT(strictly(text, 3, 7), "<");
    CHECK_INT(notes_about(text, "without a receive"), 1);
    CHECK_INT(notes_about(text, "never began"), 1);
}

TEST(a_handler_of_a_timer_is_no_context_and_no_surprise)
{
    const char *text = "T fire t; T hb; T w x; T he; T rcv c msg=b; T hb; T w y; T he; T he";
    CHECK_TEXT(strictly(text, 2, 6), "<");
    CHECK_INT(notes_about(text, "without a receive"), 0);
    CHECK_INT(notes_about(text, "never began"), 1);
}

TEST(a_trace_without_events_has_no_order)
{
    struct notes n = {0};
    struct hb hb;
    order_of(&hb, "order node", HB_STRICT, &n);
    CHECK_INT(hb.contexts.count, 0);
    hb_release(&hb);
    notes_release(&n);
}
