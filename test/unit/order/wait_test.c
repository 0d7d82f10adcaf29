#include "order/condition_wait.h"

#include "order_of.h"

/* What ends each wait, as "end:notify". */
static const char *served(const char *text)
{
    static char shown[200];
    struct notes n = {0};
    struct hb hb;
    order_of(&hb, text, HB_STRICT, &n);
    size_t used = 0;
    shown[0] = '\0';
    for (uint32_t i = 0; i < hb.waits.count; i++) {
        const struct wait *w = &hb.waits.list[i];
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%u:%d", i == 0 ? "" : " ",
                                 w->end, w->notify == EVENT_NONE ? -1 : (int)w->notify);
    }
    hb_release(&hb);
    notes_release(&n);
    return shown;
}

TEST(a_signal_ends_one_wait_the_one_that_ends_first)
{
    CHECK_TEXT(served("A wait c; B wait c; C notify c; B woken c; A woken c"), "3:2 4:-1");
}

TEST(a_broadcast_ends_all_waits)
{
    CHECK_TEXT(served("A wait c; B wait c; C notify-all c; B woken c; A woken c"), "3:2 4:2");
}

TEST(a_notify_before_the_wait_does_not_end_it)
{
    CHECK_TEXT(served("C notify c; A wait c; A woken c"), "2:-1");
    CHECK_INT(notes_about("C notify c; A wait c; A woken c", "without a notify"), 1);
}

TEST(a_lone_end_waits_since_the_event_before_it)
{
    CHECK_TEXT(served("A w x; C notify c; A woken c"), "2:1");
    CHECK_TEXT(served("C notify c; A w x; A woken c"), "2:-1");
    CHECK_TEXT(served("C notify c; A woken c"), "1:0");
}

TEST(conditions_belong_to_their_node)
{
    CHECK_TEXT(served("A@n wait c; B@o notify c; A@n woken c"), "2:-1");
}

TEST(a_wait_is_after_its_notify_only_when_observed)
{
    const char *text = "A wait c; B notify c; A woken c";
    CHECK_TEXT(strictly(text, 1, 2), "|");
    CHECK_TEXT(observed(text, 1, 2), "<");
}
