#include "order/message.h"

#include "order_of.h"

TEST(a_message_is_matched_by_its_name)
{
    const char *text = "A snd c msg=1; A snd c msg=2; B rcv c msg=2; B rcv c msg=1";
    CHECK_TEXT(strictly(text, 1, 2), "<");
    CHECK_TEXT(strictly("A snd c msg=1; A snd c msg=2; B rcv c msg=1", 1, 2), "|");
}

TEST(a_message_received_twice_was_sent_once)
{
    const char *text = "A snd c msg=1; B rcv c msg=1; C rcv c msg=1";
    CHECK_TEXT(strictly(text, 0, 1), "<");
    CHECK_TEXT(strictly(text, 0, 2), "<");
}

TEST(a_name_used_again_is_matched_in_order)
{
    const char *text = "A snd c msg=1; B snd c msg=1; C rcv c msg=1; D rcv c msg=1";
    CHECK_TEXT(strictly(text, 0, 2), "<");
    CHECK_TEXT(strictly(text, 1, 2), "|");
    CHECK_TEXT(strictly(text, 1, 3), "<");
}

TEST(without_a_name_channel_and_size_match_in_order)
{
    const char *text =
        "A snd c size=3; A snd c size=5; A snd d size=5; B rcv c size=5; C rcv d size=5";
    CHECK_TEXT(strictly(text, 1, 3), "<");
    CHECK_TEXT(strictly(text, 2, 3), "|");
    CHECK_TEXT(strictly(text, 2, 4), "<");
}

TEST(stream_bytes_arrive_in_pieces)
{
    /* A sends 4 and B 6 bytes; the first receive needs only A's, the second both. */
    const char *text = "A snd c mode=tcp size=4; B snd c mode=tcp size=6;"
                       "C rcv c mode=tcp size=3; D rcv c mode=tcp size=7";
    CHECK_TEXT(strictly(text, 0, 2), "<");
    CHECK_TEXT(strictly(text, 1, 2), "|");
    CHECK_TEXT(strictly(text, 0, 3), "<");
    CHECK_TEXT(strictly(text, 1, 3), "<");
}

TEST(streams_do_not_mix)
{
    const char *text = "A snd c mode=tcp size=10; B snd d mode=tcp size=8; C rcv c mode=tcp size=6;"
                       "D rcv d mode=tcp size=8; C rcv c mode=tcp size=4";
    CHECK_TEXT(strictly(text, 0, 3), "|");
    CHECK_TEXT(strictly(text, 1, 3), "<");
    CHECK_TEXT(strictly(text, 1, 4), "|");
}

TEST(pieces_whose_bytes_coincide_are_one_message)
{
    struct notes n = {0};
    struct hb hb;
    order_of(&hb,
             "A snd c mode=tcp size=4; A snd c mode=tcp size=6;"
             "B rcv c mode=tcp size=5; B rcv c mode=tcp size=5;"
             "A snd c mode=tcp size=2; B rcv c mode=tcp size=2",
             HB_STRICT, &n);
    CHECK_INT(hb.messages.count, 2);
    CHECK_INT(hb.messages.list[0].send, 0);
    CHECK_INT(hb.messages.list[0].receive, 2);
    CHECK(hb.messages.list[0].stream != 0);
    CHECK_INT(hb.messages.list[1].send, 4);
    CHECK_INT(hb.messages.list[1].receive, 5);
    CHECK_INT(message_of_receive(&hb.messages, 3), 0);
    CHECK_INT(message_of_receive(&hb.messages, 5), 1);
    CHECK_INT(message_of_receive(&hb.messages, 4), MESSAGE_NONE);
    hb_release(&hb);
    notes_release(&n);
}

TEST(messages_are_listed_as_they_were_received)
{
    struct notes n = {0};
    struct hb hb;
    order_of(&hb,
             "A snd c msg=1; A snd d mode=tcp size=1; A snd c msg=2;"
             "B rcv c msg=2; B rcv d mode=tcp size=1; B rcv c msg=1",
             HB_STRICT, &n);
    CHECK_INT(hb.messages.count, 3);
    CHECK_INT(hb.messages.list[0].send, 2);
    CHECK_INT(hb.messages.list[1].send, 1);
    CHECK_INT(hb.messages.list[2].send, 0);
    hb_release(&hb);
    notes_release(&n);
}

TEST(the_end_of_a_stream_comes_after_its_close)
{
    const char *text = "A snd c mode=tcp size=4; B rcv c mode=tcp size=4; A close c;"
                       "B rcv c mode=tcp size=0; C close c";
    CHECK_TEXT(strictly(text, 2, 3), "<");
    CHECK_TEXT(strictly(text, 4, 3), "|");
}

TEST(a_later_close_of_the_same_addresses_is_another_end)
{
    CHECK_TEXT(strictly("order stamped; B rcv c mode=tcp size=0; C close c", 1, 0), "|");
    CHECK_TEXT(strictly("order node; B rcv c mode=tcp size=0; C close c", 1, 0), "<");
}

TEST(a_connection_is_asked_for_before_it_is_accepted)
{
    CHECK_TEXT(strictly("A connect a:1>b:2; B accept a:1>b:2", 0, 1), "<");
    CHECK_TEXT(strictly("A connect a:1>b:2; B accept b:2>a:1", 0, 1), "<");
    CHECK_TEXT(strictly("A connect a:1>b:2; B accept b:2>a:3", 0, 1), "|");
}

TEST(a_receive_without_its_send_is_noted)
{
    CHECK_INT(notes_about("A rcv c msg=1; A rcv; A rcv d mode=tcp size=3", "not in the trace"), 3);
    CHECK_INT(notes_about("A snd c mode=tcp; A rcv c mode=tcp", "no size"), 1);
}
