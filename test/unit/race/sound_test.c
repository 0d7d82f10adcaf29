#include "race/sound/sync_preserving.h"

#include "base/out.h"
#include "race/linearize.h"
#include "race/sound/verify.h"
#include "test.h"
#include "trace_of.h"

/* What is shown, as text: "0-3" for two accesses, "m4-2" for a SEND and a RECV; and for the last
 * one, after a colon, the order that shows it. */
struct shown {
    struct out text;
    const struct hb *hb;
    sound_order order;
};

static void show(void *context, const struct sound_race *race)
{
    struct shown *s = context;
    out_format(&s->text, "%s%s%u-%u", s->text.used > 0 ? " " : "", race->pair.is_message ? "m" : "",
               race->pair.a, race->pair.b);
    sound_order_of(s->hb, race, &s->order);
}

static void check_shown(const char *text, const char *wanted)
{
    struct notes notes = {0};
    struct err e = {0};
    struct hb hb;
    CHECK_INT(hb_build(&hb, trace_of(text), &(struct hb_options){.scope = REACH_NONE}, &notes, &e),
              0);
    struct shown s = {.hb = &hb};
    out_open_memory(&s.text);
    struct proof_stats stats = {0};
    proof_find(&hb, &(struct proof_options){.found = show, .context = &s}, &stats);
    CHECK_INT(stats.refused, 0);
    if (s.order.count > 0) {
        out_char(&s.text, ':');
    }
    vec_each (&s.order, id) {
        out_format(&s.text, " %u", *id);
    }
    out_char(&s.text, '\0');
    CHECK_TEXT(s.text.buffer, wanted);
    out_abandon(&s.text);
    vec_release(&s.order);
    hb_release(&hb);
    notes_release(&notes);
}

TEST(two_writes_are_shown_by_nothing_but_themselves)
{
    check_shown("A w x; B w x", "0-1: 0 1");
}

TEST(what_comes_before_is_part_of_the_witness)
{
    check_shown("A log; A w x; B log; B log; B w x", "1-4: 0 2 3 1 4");
}

TEST(a_common_lock_shows_nothing)
{
    check_shown("A acq m; A w x; A rel m; B acq m; B w x; B rel m", "");
}

TEST(the_order_of_sections_is_kept_and_earlier_ones_may_be_left_out)
{
    /* The section of A is not needed for the write of B. */
    check_shown("A w x; A acq m; A rel m; B acq m; B rel m; B w x", "0-5: 3 4 0 5");
}

TEST(what_a_read_saw_forbids)
{
    check_shown("A w x; A acq m; A w flag; A rel m; B acq m; B r flag; B rel m; B r x", "");
}

TEST(a_read_of_the_pair_itself_forbids_nothing)
{
    check_shown("A w x; B r x", "0-1: 0 1");
}

TEST(a_message_forbids)
{
    check_shown("A w x; A snd u msg=1; B rcv u msg=1; B w x", "");
    check_shown("A snd u msg=1; A w x; B rcv u msg=1; B w x", "1-3: 0 2 1 3");
}

TEST(two_messages_are_shown_by_the_send_before_the_receive)
{
    check_shown("A snd u msg=1; B snd v msg=2; C rcv u msg=1; C rcv v msg=2", "m1-2: 0 1 2");
}

TEST(a_shared_section_does_not_end_for_another)
{
    check_shown("A acq m mode=read; A w x; A rel m mode=read; B acq m mode=read; B w x; B rel m "
                "mode=read",
                "1-4: 0 3 1 4");
}

TEST(a_pair_of_places_is_shown_once)
{
    check_shown("A w x @p; B w x @q; A w x @p; B w x @q", "0-1: 0 1");
}

TEST(another_access_at_the_place_is_shown_where_the_last_is_not)
{
    /* The last write of A is under the lock that B holds; the one before is not. */
    check_shown("A w x @p; A acq m; A w x @p; A rel m; B acq m; B w x @q; B rel m", "0-5: 4 0 5");
}

TEST(logs_of_nodes_that_follow_each_other_are_one_execution)
{
    check_shown("B@b rcv u msg=1; B@b w y @p; C@b w y @q; A@a log; A@a snd u msg=1",
                "1-2: 3 4 0 1 2");
}

TEST(stamped_traces_show_nothing)
{
    check_shown("order stamped; A w x; B w x", "");
}

TEST(a_line_that_blocks_itself_is_cut_short)
{
    struct notes notes = {0};
    struct err e = {0};
    struct hb hb;
    struct arena arena = {0};
    /* Each node waits for the other before it sends, in the order of its own log. */
    const struct trace *t = trace_of("A@a rcv u msg=1; C@a snd v msg=2; B@b rcv v msg=2; D@b snd u "
                                     "msg=1");
    CHECK_INT(hb_build(&hb, t, &(struct hb_options){.scope = REACH_NONE}, &notes, &e), 0);
    CHECK(!hb.follows_list);
    CHECK_INT(line_build(&hb, &arena).count, 0);
    CHECK(!sound_is_certain(&hb));
    arena_release(&arena);
    hb_release(&hb);
    notes_release(&notes);
}
