#include "race/observed/observed.h"

#include "base/out.h"
#include "test.h"
#include "trace_of.h"
#include "wire/kind.h"

/* What an analysis says, as text: "x 0-3 5-6" for the pairs of events that race on x, "msg 4-2" for
 * a SEND and a RECV. */
struct told {
    struct out text;
    const struct trace *trace;
    struct notes notes;
    struct observed_stats stats;
};

static void tell(void *context, const struct observed_race *race)
{
    struct told *told = context;
    const char *name = race->is_message ? "msg" : trace_name(told->trace, race->object);
    out_format(&told->text, "%s%s %llu-%llu", told->text.used > 0 ? "; " : "", name,
               (unsigned long long)race->first.index, (unsigned long long)race->second.index);
}

/* The analysis of t in batches of this many events. */
static struct told tell_races(const struct trace *t, size_t batch_size,
                              struct observed_options options)
{
    struct told told = {.trace = t};
    out_open_memory(&told.text);
    options.found = tell;
    options.context = &told;
    struct observed *o = observed_new(&t->tables, &told.notes, &options);
    struct err e = {0};
    for (size_t i = 0; i < t->events.count; i += batch_size) {
        const size_t left = t->events.count - i;
        const struct batch b = {.events = t->events.at + i,
                                .count = left < batch_size ? left : batch_size};
        CHECK_INT(observed_feed(o, &b, &e), 0);
    }
    CHECK_INT(observed_finish(o, &e), 0);
    told.stats = observed_stats(o);
    observed_free(o);
    out_char(&told.text, '\0');
    return told;
}

static void told_release(struct told *told)
{
    out_abandon(&told->text);
    notes_release(&told->notes);
}

static void check_races(const char *trace, const char *wanted)
{
    struct told told = tell_races(trace_of(trace), 4096, (struct observed_options){0});
    CHECK_TEXT(told.text.buffer, wanted);
    told_release(&told);
}

/* The first note, with its place. */
static void check_note(const char *trace, const char *place, const char *text)
{
    struct told told = tell_races(trace_of(trace), 4096, (struct observed_options){0});
    CHECK(told.notes.list.count > 0);
    CHECK_TEXT(told.notes.list.at[0].place, place);
    CHECK(strstr(told.notes.list.at[0].text, text) != NULL);
    told_release(&told);
}

TEST(blocks_that_were_allocated_at_one_place_are_told_as_one)
{
    check_races("A w m:1#1 @a; A w m:1#2+8 @a; B w m:1#1 @b; B w m:1#2+8 @b", "m:1#1 0-2");
    check_races("A w m:1#1 @a; A w m:1#2+8 @c; B w m:1#1 @b; B w m:1#2+8 @b",
                "m:1#1 0-2; m:1#2+8 1-3");
}

TEST(two_writes_of_two_tasks_race)
{
    check_races("A w x; B w x", "x 0-1");
}

TEST(two_reads_do_not_race)
{
    check_races("A r x; B r x", "");
}

TEST(a_read_races_with_a_write_before_and_after)
{
    check_races("A w x @p; B r x @q; C w x @r", "x 0-1; x 1-2; x 0-2");
}

TEST(a_variable_belongs_to_its_node)
{
    check_races("A@n w x; B@m w x", "");
}

TEST(release_orders_later_acquire)
{
    check_races("A w x; A acq m; A rel m; B acq m; B rel m; B w x", "");
    check_races("A acq m; A rel m; A w x; B acq m; B rel m; B w x", "x 2-5");
}

TEST(a_lock_belongs_to_its_node_unless_processes_share_it)
{
    check_races("A@n acq m; A@n rel m; B@n acq q; B@n rel q; A@n w x; B@n w x", "x 4-5");
    check_races("A@n w x; A@n acq m; A@n rel m; B@k acq m; B@k rel m; B@k snd u msg=1; C@n rcv u "
                "msg=1; C@n w x",
                "x 0-7");
    check_races("A@n w x; A@n acq m mode=flock-write; A@n rel m mode=flock-write; B@k acq m "
                "mode=flock-read; B@k rel m mode=flock-read; B@k snd u msg=1; C@n rcv u msg=1; C@n "
                "w x",
                "");
}

TEST(readers_of_a_lock_are_not_ordered_with_each_other)
{
    check_races("A acq m mode=read; A w x; A rel m mode=read; B acq m mode=read; B w x; B rel m "
                "mode=read",
                "x 1-4");
    check_races("A acq m mode=read; A w x; A rel m mode=read; B acq m mode=write; B w x; B rel m "
                "mode=write",
                "");
    check_races("A acq m mode=write; A w x; A rel m mode=write; B acq m mode=read; B w x; B rel m "
                "mode=read",
                "");
}

TEST(the_inner_release_of_a_reentrant_lock_orders_nothing_more)
{
    check_races("A acq m; A acq m; A rel m; A w x; A rel m; B acq m; B w x; B rel m", "");
}

TEST(fork_and_join_order)
{
    check_races("A w x; A fork B; B begin; B w x; B end; A join B; A w x", "");
    check_races("A fork B; A w x; B w x; A join B", "x 1-2");
}

TEST(a_child_without_start_or_end_is_ordered_by_its_first_and_last_event)
{
    check_races("A w x; A fork B; B w x; A join B; A w x", "");
}

TEST(a_column_used_again_keeps_threads_apart)
{
    /* C may go on in the column of B only because its creator has joined B; D has not seen B. */
    check_races("A fork B; A fork D; B w x @p; B end; A join B; A fork C; C w x @q; D w x @r",
                "x 6-7; x 2-7");
}

TEST(a_task_joined_and_started_again_goes_on)
{
    check_races("A fork B; B begin; B w x; B end; A join B; A fork B; B begin; B w x; B end; A "
                "w x; A join B; A w x",
                "x 7-9");
}

TEST(a_send_is_before_its_receive)
{
    check_races("A@n w x; A@n snd u msg=1; B@m rcv u msg=1; B@m snd v msg=2; C@n rcv v msg=2; C@n "
                "w x",
                "");
    check_races("A@n snd u msg=1; A@n w x; C@n rcv u msg=1; C@n w x", "x 1-3");
}

TEST(messages_without_names_are_told_apart_by_channel_and_size)
{
    check_races("A snd u size=4; A w x; A snd u size=5; B rcv u size=5; B w x", "");
    check_races("A snd u size=4; A w x; A snd u size=5; B rcv u size=4; B w x", "x 1-4");
}

TEST(a_message_received_twice_is_ordered_both_times)
{
    check_races("A w x; A snd u msg=1; B rcv u msg=1; C rcv u msg=1; B r x; C r x", "");
}

TEST(pieces_of_a_stream_are_matched_by_their_bytes)
{
    const char *trace = "A snd s size=3 mode=tcp; A w x; A snd s size=3 mode=tcp; B rcv s size=2 "
                        "mode=tcp; B r x; B rcv s size=2 mode=tcp; B r x";
    check_races(trace, "x 1-4");
}

TEST(the_end_of_a_stream_is_after_its_close)
{
    check_races("A w x; A close s mode=tcp; B rcv s size=0 mode=tcp; B w x", "");
}

TEST(accept_is_after_connect_whichever_way_the_channel_is_named)
{
    check_races("A w x; A connect a:1>b:2; B accept b:2>a:1; B w x", "");
    check_races("A w x; A connect a:1>b:2; B accept b:3>a:1; B w x", "x 0-3");
}

TEST(a_wait_is_after_the_notify_that_served_it)
{
    check_races("A acq m; A wait c lock=m; B w x; B notify c; A woken c lock=m; A w x; A rel m",
                "");
    check_races("A acq m; A wait c lock=m; B notify c; B w x; A woken c lock=m; A w x; A rel m",
                "x 3-5");
}

TEST(a_signal_serves_the_wait_that_ends_first_and_only_that)
{
    check_races("A wait c; B wait c; S w x; S notify c; U w y; U notify c; A woken c; A w x; B "
                "woken c; B w y",
                "");
    check_races("A wait c; B wait c; S w x; S notify c; U w y; U notify c; A woken c; A w y; B "
                "woken c; B w x",
                "y 4-7; x 2-9");
}

TEST(a_broadcast_serves_all)
{
    check_races("A wait c; B wait c; S w x; S notify-all c; A woken c; A r x; B woken c; B r x",
                "");
}

TEST(a_wait_without_beginning_gives_the_lock_up_at_the_event_before)
{
    /* As Falcon records it: the monitor is its own condition. */
    check_races("A acq m; A w x; B acq m; B w x; B notify m; B rel m; A woken m; A w x; A rel m",
                "");
}

TEST(a_semaphore_orders_post_before_wait)
{
    check_races("A w x; A post s; B down s; B w x", "");
    check_races("A w x; A post s; A w y; A post s; B down s; B w x; B w y", "y 2-6");
    check_races("B down s; A w x; A post s; B w x", "x 1-3");
}

TEST(a_barrier_orders_its_round)
{
    check_races("A w x; A enter b; B w y; B enter b; A leave b; A w y; B leave b; B w x", "");
    /* A is already in the next round when B leaves the first. */
    check_races("A enter b; B enter b; A leave b; A w x; A enter b; B leave b; B w x", "x 3-6");
}

TEST(once_is_after_the_first)
{
    check_races("A w x; A once o; B once o; B w x; C once o; C r x", "x 3-5");
}

TEST(annotations_order)
{
    check_races("A w x; A before o; B after o; B w x", "");
    check_races("B after o; A w x; A before o; B w x", "x 1-3");
}

TEST(a_wait_is_not_ended_by_what_its_task_notified_before_it_began)
{
    check_races("order exact; B notify m; A w x; A notify-all m; B woken m; B r x", "");
}

TEST(a_plain_access_races_with_an_atomic_one_and_two_atomic_ones_do_not)
{
    check_races("A w x; B ld x mode=relaxed", "x 0-1");
    check_races("A ld x mode=relaxed; B w x", "x 0-1");
    check_races("A r x @a; B rmw x @b; C r x @c", "x 0-1; x 1-2");
    check_races("A st x mode=relaxed; B rmw x mode=relaxed; C ld x mode=relaxed", "");
    check_races("A r x; B ld x", "");
    check_races("A w x; A st flag; B ld flag; B rmw x", "");
    check_races("A st x mode=release; B ld x mode=acquire; B w x", "");
    check_races("A w x; B ld x mode=relaxed; A w x", "x 0-1");
}

TEST(atomics_order_by_what_is_read)
{
    check_races("A w x; A st f mode=release; B ld f mode=acquire; B w x", "");
    check_races("A w x; A st f mode=relaxed; B ld f mode=acquire; B w x", "x 0-3");
    check_races("A w x; A st f mode=release; B ld f mode=relaxed; B w x", "x 0-3");
    check_races("A w x; A st f; C rmw f mode=relaxed; B ld f; B w x", "");
    check_races("A w x; A st f; C st f mode=relaxed; B ld f; B w x", "x 0-4");
}

TEST(every_pair_of_places_is_found_though_the_last_access_is_ordered)
{
    /* The write of B hides that of A from C, which has seen B only. */
    check_races("A w x @p; B w x @q; B acq m; B rel m; C acq m; C rel m; C w x @r", "x 0-1; x 0-6");
}

TEST(a_pair_of_places_is_told_once_and_counted)
{
    struct told told = tell_races(trace_of("A w x @p; B w x @q; A w x @p; B w x @q"), 1,
                                  (struct observed_options){0});
    CHECK_TEXT(told.text.buffer, "x 0-1");
    CHECK_INT(told.stats.data_place_count, 1);
    CHECK_INT(told.stats.data_race_count, 3);
    told_release(&told);
}

TEST(every_pair_is_told_on_request)
{
    struct told told = tell_races(trace_of("A w x @p; B w x @q; A w x @p; B w x @q"), 2,
                                  (struct observed_options){.every_pair = true});
    CHECK_TEXT(told.text.buffer, "x 0-1; x 1-2; x 2-3; x 0-3");
    told_release(&told);
}

TEST(messages_race_when_the_first_receive_is_not_before_the_second_send)
{
    check_races("A snd u msg=1; B snd v msg=2; C rcv u msg=1; C rcv v msg=2", "msg 1-2");
    check_races("A snd u msg=1; C rcv u msg=1; C snd w msg=3; B rcv w msg=3; B snd v msg=2; C rcv "
                "v msg=2",
                "");
    check_races("A snd s size=1 mode=tcp; A snd s size=1 mode=tcp; C rcv s size=1 mode=tcp; C rcv "
                "s size=1 mode=tcp",
                "");
}

TEST(each_kind_of_race_can_be_left_out)
{
    const struct trace *t =
        trace_of("A w x; B w x; A snd u msg=1; B snd v msg=2; C rcv u msg=1; C rcv v msg=2");
    struct told told = tell_races(t, 4096, (struct observed_options){.skips_messages = true});
    CHECK_TEXT(told.text.buffer, "x 0-1");
    told_release(&told);
    told = tell_races(t, 4096, (struct observed_options){.skips_data = true});
    CHECK_TEXT(told.text.buffer, "msg 3-4");
    told_release(&told);
}

/* Logs of several nodes, one behind the other. */
static const char logs_apart[] = "B@b rcv u msg=1; B@b w y; B@b acq m; B@b rel m; C@b acq m; C@b "
                                 "rel m; C@b w y; B@b snd v msg=2; "
                                 "A@a w x; A@a snd u msg=1; D@a rcv v msg=2; D@a w x";

TEST(a_receive_listed_before_its_send_waits_for_it_with_its_node)
{
    check_races(logs_apart, "");
}

TEST(a_receive_whose_send_never_comes_is_taken_at_the_end)
{
    check_races("B@b rcv u msg=9; B@b w y; C@b w y", "y 1-2");
    check_note("B@b rcv u msg=9; B@b w y; C@b w y", "event 0", "send is not known");
}

TEST(what_waits_is_bounded)
{
    struct told told =
        tell_races(trace_of(logs_apart), 4096, (struct observed_options){.held_count_max = 3});
    CHECK_TEXT(told.text.buffer, "x 8-11");
    CHECK_TEXT(told.notes.list.at[0].place, "event 0");
    told_release(&told);
}

TEST(an_exact_list_never_waits)
{
    check_races("order exact; B@a rcv u msg=1; B@a w x; A@a w x; A@a snd u msg=1", "x 1-2");
}

TEST(odd_events_are_noted_and_do_no_harm)
{
    check_note("A rel m; A w x", "event 0", "does not hold");
    check_note("A leave b", "event 0", "not entered");
    check_note("A woken c", "event 0", "without a notify");
    check_note("order exact; A rcv u msg=1", "event 0", "send is not known");
    check_note("order exact; A rcv s size=3 mode=tcp", "event 0", "never sent");
    check_note("order exact; A accept a:1>b:2", "event 0", "nobody asked");
    check_races("A fork A; A join A; A join B; A w x", "");
}

TEST(a_lock_never_released_orders_who_takes_it_next)
{
    check_races("A acq m; A w x; B acq m; B w x; B rel m", "");
}

TEST(batches_of_any_size_say_the_same)
{
    for (size_t size = 1; size < 14; size++) {
        struct told told = tell_races(trace_of(logs_apart), size, (struct observed_options){0});
        CHECK_TEXT(told.text.buffer, "");
        told_release(&told);
    }
}

/* A writes at 40 places, then C at one; `begin` says what B, which has seen none of it, did before.
 */
static struct told tell_many_places(const char *begin, uint64_t record_count_max)
{
    struct out text;
    out_open_memory(&text);
    out_text(&text, begin);
    for (int i = 0; i < 40; i++) {
        out_format(&text, "A w x @p%d; A acq m; A rel m; ", i);
    }
    out_format(&text, "B w x @q");
    out_char(&text, '\0');
    struct told told = tell_races(trace_of(text.buffer), 1,
                                  (struct observed_options){.record_count_max = record_count_max});
    out_abandon(&text);
    return told;
}

TEST(places_are_remembered_up_to_a_bound)
{
    struct told told = tell_many_places("B log; ", 1000);
    CHECK_INT(told.stats.data_place_count, 40);
    CHECK_INT(told.notes.list.count, 0);
    told_release(&told);
    told = tell_many_places("B log; ", 20);
    CHECK(told.stats.data_place_count < 20);
    CHECK(told.stats.data_place_count > 0);
    CHECK(strstr(told.notes.list.at[0].text, "forgotten to bound memory") != NULL);
    told_release(&told);
}

TEST(what_everyone_has_seen_is_forgotten_first)
{
    struct told told = tell_many_places("", 20);
    CHECK_INT(told.stats.data_place_count, 0);
    CHECK(strstr(told.notes.list.at[0].text, "nobody created") != NULL);
    told_release(&told);
}

TEST(messages_under_way_are_bounded)
{
    struct out text;
    out_open_memory(&text);
    out_text(&text, "order exact; ");
    for (int i = 0; i < 40; i++) {
        out_format(&text, "A w x%d; A snd u msg=%d; ", i, i);
    }
    out_text(&text, "B rcv u msg=39; B w x39; C rcv u msg=0; C w x0");
    out_char(&text, '\0');
    check_races(text.buffer, "");
    struct told told = tell_races(trace_of(text.buffer), 1,
                                  (struct observed_options){.pending_clock_bytes_max = 2000});
    CHECK_TEXT(told.text.buffer, "x0 0-83");
    told_release(&told);
    out_abandon(&text);
}

/* The accesses of `task` at x are held back and come to light at the first access by another. */
static struct told tell_late(const struct trace *t, uint32_t task)
{
    struct told told = {.trace = t};
    out_open_memory(&told.text);
    const struct observed_options options = {.found = tell, .context = &told};
    struct observed *o = observed_new(&t->tables, &told.notes, &options);
    struct err e = {0};
    struct {
        const struct event *event;
        struct observed_moment moment;
    } held[16];
    size_t held_count = 0;
    bool is_shared = false;
    trace_each (t, event) {
        const bool is_access = event->kind == EVENT_READ || event->kind == EVENT_WRITE;
        if (is_access && event->task == task && !is_shared) {
            must(held_count < 16);
            CHECK(observed_now(o, task, &held[held_count].moment));
            held[held_count++].event = event;
            continue;
        }
        if (is_access && !is_shared) {
            is_shared = true;
            for (size_t i = 0; i < held_count; i++) {
                observed_feed_late(o, held[i].event, held[i].moment);
            }
        }
        const struct batch b = {.events = event, .count = 1};
        CHECK_INT(observed_feed(o, &b, &e), 0);
    }
    observed_free(o);
    out_char(&told.text, '\0');
    return told;
}

TEST(an_access_that_comes_to_light_late_is_judged_by_its_moment)
{
    struct told told = tell_late(trace_of("A acq m; A w x; A rel m; B acq m; B r x"), 0);
    CHECK_TEXT(told.text.buffer, "");
    told_release(&told);
    told = tell_late(trace_of("A acq m; A rel m; A w x; A acq n; A rel n; B acq m; B r x"), 0);
    CHECK_TEXT(told.text.buffer, "x 5-6");
    told_release(&told);
    told = tell_late(trace_of("A acq m; A w x; A rel m; B acq m; B r x; C r x"), 0);
    CHECK_TEXT(told.text.buffer, "x 3-5");
    told_release(&told);
}

TEST(a_task_has_a_moment_once_it_has_begun)
{
    const struct trace *t = trace_of("A w x");
    struct notes notes = {0};
    struct observed_moment moment;
    struct err e = {0};
    struct observed *o = observed_new(&t->tables, &notes, &(struct observed_options){0});
    CHECK(!observed_now(o, 0, &moment));
    const struct batch b = {.events = t->events.at, .count = 1};
    CHECK_INT(observed_feed(o, &b, &e), 0);
    CHECK(observed_now(o, 0, &moment));
    observed_free(o);
    notes_release(&notes);
}
