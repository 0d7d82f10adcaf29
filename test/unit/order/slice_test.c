#include "order/trace_slice.h"

#include "test.h"
#include "trace_of.h"

/* The indices that are kept, or the error. */
static const char *kept(const char *text, const struct slice_options *o)
{
    static char shown[600];
    struct slice s = {0};
    struct notes n = {0};
    struct err e = {0};
    size_t used = 0;
    shown[0] = '\0';
    if (slice_build(&s, trace_of(text), o, &n, &e) < 0) {
        (void)snprintf(shown, sizeof shown, "%s", e.text);
    }
    vec_each (&s.events, id) {
        used +=
            (size_t)snprintf(shown + used, sizeof shown - used, "%s%u", used == 0 ? "" : " ", *id);
    }
    slice_release(&s);
    notes_release(&n);
    return shown;
}

#define TALK                                                                          \
    "A@n w x time=1; B@o w y time=2; A@n snd c msg=1 time=3; B@o rcv c msg=1 time=4;" \
    "A@n w x time=5; B@o w y"

TEST(the_past_of_an_event_is_what_led_to_it)
{
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = 3}), "0 1 2 3");
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = 4}), "0 2 4");
}

TEST(the_past_follows_locks_as_they_went)
{
    const char *text = "A acq m; A w x; A rel m; B acq m; B w x";
    CHECK_TEXT(kept(text, &(struct slice_options){.event = 4}), "0 1 2 3 4");
}

TEST(a_part_is_what_all_conditions_keep)
{
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = EVENT_NONE, .node = "o"}), "1 3 5");
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = EVENT_NONE, .object = "x"}), "0 4");
    CHECK_TEXT(
        kept(TALK, &(struct slice_options){.event = EVENT_NONE, .has_since = true, .since = 4}),
        "3 4 5");
    CHECK_TEXT(
        kept(TALK, &(struct slice_options){.event = EVENT_NONE, .has_until = true, .until = 2}),
        "0 1");
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = 3, .node = "n"}), "0 2");
    CHECK_TEXT(kept("A wait c lock=m; A woken c lock=m; A w x",
                    &(struct slice_options){.event = EVENT_NONE, .object = "m"}),
               "0 1");
}

TEST(names_are_matched_as_the_shell_does_and_by_themselves)
{
    const char *text = "A@n1 w x; A@n2 w xy; A@n13 w a[3]; A@n1 w a3; B w z";
    CHECK_TEXT(kept(text, &(struct slice_options){.event = EVENT_NONE, .node = "n1*"}), "0 2 3");
    CHECK_TEXT(kept(text, &(struct slice_options){.event = EVENT_NONE, .node = "*"}), "0 1 2 3");
    CHECK_TEXT(kept(text, &(struct slice_options){.event = EVENT_NONE, .object = "x?"}), "1");
    CHECK_TEXT(kept(text, &(struct slice_options){.event = EVENT_NONE, .object = "a[3]"}), "2 3");
}

TEST(a_time_of_zero_is_none)
{
    CHECK_TEXT(kept("A w x time=5; A w x time=0; A w x time=7",
                    &(struct slice_options){.event = EVENT_NONE, .has_since = true, .since = 4}),
               "0 1 2");
}

TEST(what_is_not_in_the_trace_is_an_error)
{
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = 6}),
               "event 6 is beyond the trace, which has 6");
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = EVENT_NONE, .node = "p"}),
               "no event is of a node 'p' (see clew info)");
    CHECK_TEXT(kept(TALK, &(struct slice_options){.event = EVENT_NONE, .object = "q"}),
               "no event is about an object 'q' (see clew info)");
}
