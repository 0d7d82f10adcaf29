/* What a stream tells of a cut: stamps, last events and messages, also of what it has forgotten. */
#include "monitor/online/ingest.h"

#include "base/mem.h"
#include "monitored.h"
#include "test.h"
#include "trace_of.h"

/* What a stream with a check after every event says. */
static struct streamed stream(const char *property, const char *run, struct notes *notes)
{
    struct spec s = spec_of(property);
    const struct stream_options o = {
        .skew = 2, .check_events = 1, .lag = INT64_MAX, .knows_processes = true};
    const struct streamed says = streamed(trace_of(run), &s, &o, notes);
    spec_release(&s);
    trace_of_release();
    return says;
}

static void check_why(const char *property, const char *run, const char *why)
{
    const struct streamed says = stream(property, run, NULL);
    CHECK_INT(says.finding_count, 1);
    CHECK_TEXT(says.why, why);
}

TEST(a_stream_tells_stamps)
{
    check_why("p: never a.x = 1 and b.x = 1",
              "t@a var x value=1 time=1 hlc=1,0; t@b var x value=1 time=2 hlc=3,4;"
              "t@a var x value=0 time=9 hlc=9,0; t@b var x value=0 time=9 hlc=9,0",
              "a: x = 1, after event 0 (l 1, c 0), time 1 to the end\n"
              "b: x = 1, after event 1 (l 3, c 4), time 2 to the end\n"
              "0 messages on the way");
}

TEST(a_stream_tells_the_stamp_of_what_it_has_forgotten)
{
    check_why("p: never a.x = 1 and b.x = 1",
              "t@a var x value=1 time=1 hlc=1,7; t@b var x value=0 time=2 hlc=2,0;"
              "t@a log time=50 hlc=50,0; t@b var x value=1 time=51 hlc=51,2;"
              "t@a log time=90 hlc=90,0; t@b log time=90 hlc=90,0",
              "a: x = 1, after event 0 (l 1, c 7), time 1 to the end\n"
              "b: x = 1, after event 3 (l 51, c 2), time 51 to the end\n"
              "0 messages on the way");
}

TEST(a_stream_tells_messages_that_left_before_and_arrive_after_its_window)
{
    check_why("p: never a.x = 1 and b.x = 1",
              "t@a send msg=early time=1; t@a var x value=1 time=2; t@a send msg=lost time=3;"
              "t@b var x value=0 time=2; t@a log time=50; t@b var x value=1 time=51;"
              "t@a log time=60; t@b recv msg=early time=61; t@a log time=90; t@b log time=90",
              "a: x = 1, after event 2, time 3 to the end\n"
              "b: x = 1, after event 5, time 51 to the end\n"
              "1 message on the way: early (a to b);"
              " 1 sent and not received so far: lost (from a)");
}

TEST(a_stream_tells_what_comes_after_a_gap)
{
    check_why("p: never a.x = 1 and b.x = 1",
              "t@a var x value=0 count=0 time=1 hlc=1,0; t@b var x value=1 count=0 time=1 hlc=1,0;"
              "t@a var x value=0 count=2 time=2 hlc=2,0; t@a var x value=1 count=3 time=3 hlc=3,1;"
              "t@a log count=4 time=9; t@b log count=1 time=9",
              "a: x = 1, after event 3 (l 3, c 1), time 3 to the end\n"
              "b: x = 1, after event 1 (l 1, c 0), time 1 to the end\n"
              "0 messages on the way");
}

TEST(the_clock_of_a_repeated_report_says_nothing)
{
    struct notes notes = {0};
    const struct streamed says =
        stream("p: never a.x = 1 and b.x = 1",
               "t@a var x value=0 time=1 count=1; t@b var x value=0 time=1 count=1;"
               "t@a var x value=0 time=9 count=2; t@a var x value=0 time=1 count=1;"
               "t@b var x value=0 time=9 count=2",
               &notes);
    CHECK_INT(says.answer.verdict, CUT_NO);
    CHECK_INT(notes.list.count, 1);
    CHECK_TEXT(notes.list.at[0].text,
               "a report that came before, by its sequence number: left out");
    notes_release(&notes);
}

TEST(a_process_that_comes_too_late_is_the_reason)
{
    struct spec s = spec_of("p: never a.x = 1 and b.x = 1");
    const struct stream_options o = {.skew = 2, .check_events = 1, .lag = 20};
    const struct trace *t =
        trace_of("t@a var x value=0 time=1; t@b var x value=0 time=1; t@a log time=50;"
                 "t@b log time=50; t@c var x value=1 time=51; t@a log time=52; t@b log time=52");
    const struct monitor_answer late = streamed(t, &s, &o, NULL).answer;
    CHECK_INT(late.verdict, CUT_UNKNOWN);
    CHECK_TEXT(late.reason, MONITOR_STRANGER);
    spec_release(&s);
    trace_of_release();
}

TEST(a_process_that_was_not_heard_of_yet_is_waited_for)
{
    struct spec s = spec_of("p: never a.x = 1 and b.x = 1");
    const struct trace *t =
        trace_of("t@a var x value=0 time=1; t@a var x value=0 time=9; t@b var x value=0 time=1;"
                 "t@b var x value=0 time=9; t@a log time=50; t@b log time=50");
    for (int knows = 0; knows <= 1; knows++) {
        const struct stream_options o = {
            .skew = 2, .check_events = 1, .lag = 20, .knows_processes = knows != 0};
        CHECK_INT(streamed(t, &s, &o, NULL).answer.verdict, CUT_NO);
    }
    spec_release(&s);
    trace_of_release();
}

TEST(a_stream_begins_by_hybrid_times_too)
{
    struct spec s = spec_of("p: never a.x = 1 and b.x = 1");
    const struct trace *t =
        trace_of("t@a var x value=0 hlc=1,0; t@b var x value=0 hlc=1,0; t@a var x value=0 hlc=50,0;"
                 "t@b var x value=0 hlc=50,0; t@a var x value=1 hlc=60,0");
    const struct stream_options o = {.skew = 2, .check_events = 1, .lag = 20};
    struct findings findings = {0};
    struct notes notes = {0};
    struct monitor_result result = {0};
    struct err e;
    struct stream *stream = stream_new(&s, &t->tables, &o, &findings, &notes);
    CHECK_INT(stream_take(stream, t->events.at, t->events.count, &e), 0);
    CHECK(stream_stats(stream)->events > 0); /* it does not wait for more to begin */
    CHECK_INT(stream_end(stream, &result, &e), 0);
    CHECK_INT(result.properties.at[0].verdict, CUT_NO);
    stream_free(stream);
    monitor_result_release(&result);
    findings_release(&findings);
    notes_release(&notes);
    spec_release(&s);
    trace_of_release();
}

TEST(a_task_that_begins_late_is_of_its_node)
{
    struct spec s = spec_of("p: never a.x = 1 and b.x = 1");
    const struct trace *t =
        trace_of("t@a var x value=0 time=1; t@b var x value=0 time=1; t@a log time=50;"
                 "t@b log time=50; late@a var x value=1 time=51; t@b var x value=1 time=51");
    const struct stream_options o = {.skew = 2, .check_events = 1, .lag = 20};
    CHECK_INT(streamed(t, &s, &o, NULL).answer.verdict, CUT_YES);
    spec_release(&s);
    trace_of_release();
}

TEST(what_came_late_was_when_it_was)
{
    /* When b.x was 1, a.x had been 0 again for long. */
    struct spec s = spec_of("p: never a.x = 1 and b.x = 1");
    const struct trace *t =
        trace_of("t@a var x value=0 time=1; t@b var x value=0 time=1; t@b var x value=0 time=50;"
                 "t@a var x value=1 time=5; t@a var x value=0 time=9; t@b var x value=1 time=51;"
                 "t@a log time=90; t@b log time=90");
    const struct stream_options o = {.skew = 2, .check_events = 1, .lag = 20};
    const struct streamed says = streamed(t, &s, &o, NULL);
    CHECK_INT(says.answer.verdict, CUT_UNKNOWN);
    CHECK_TEXT(says.answer.reason, MONITOR_LATE);
    CHECK_INT(says.finding_count, 0);
    spec_release(&s);
    trace_of_release();
}

TEST(what_reports_nothing_needs_no_time_and_is_not_late)
{
    struct spec s = spec_of("p: never a.x = 1 and b.x = 1");
    const struct trace *t =
        trace_of("t@a acq m; t@a var x value=0 time=1; t@b var x value=0 time=1; t@a log time=50;"
                 "t@b rel m; t@b log time=9; t@b var x value=0 time=60; t@a log time=60");
    const struct stream_options o = {.skew = 2, .check_events = 1, .lag = 20};
    CHECK_INT(streamed(t, &s, &o, NULL).answer.verdict, CUT_NO);
    CHECK_INT(monitored(t, &s, &(struct monitor_options){.skew = 2}, NULL).verdict, CUT_NO);
    spec_release(&s);
    trace_of_release();
}

TEST(who_is_outside_of_simulated_nodes_is_outside_in_a_stream_too)
{
    struct spec s = spec_of("p: never forall p. p.x = 1");
    const struct trace *t =
        trace_of("order exact; t@client send msg=m time=1; t@a recv msg=m time=2; t@a hb h;"
                 "t@a var x value=1 time=2; t@a he h; t@client log time=90; t@a log time=90");
    const struct stream_options o = {.skew = 2, .check_events = 1, .lag = 20};
    CHECK_INT(streamed(t, &s, &o, NULL).answer.verdict, CUT_YES);
    CHECK_INT(monitored(t, &s, &(struct monitor_options){.skew = 2}, NULL).verdict, CUT_YES);
    spec_release(&s);
    trace_of_release();
}

TEST(all_who_wait_for_a_send_have_it_when_it_comes)
{
    const char *run = "t@b recv msg=m time=4; t@b recv msg=other time=4; t@b var x value=1 time=4;"
                      "t@c recv msg=m time=4; t@c var x value=1 time=4;"
                      "t@a var x value=1 time=4; t@a send msg=other time=4;"
                      "t@a var x value=0 time=4; t@a send msg=m time=4; t@a log time=9;"
                      "t@b log time=9; t@c log time=9";
    CHECK_INT(stream("p: never a.x = 1 and b.x = 1", run, NULL).answer.verdict, CUT_NO);
    CHECK_INT(stream("p: never a.x = 1 and c.x = 1", run, NULL).answer.verdict, CUT_NO);
    CHECK_INT(stream("p: never b.x = 1 and c.x = 1", run, NULL).answer.verdict, CUT_YES);
}

TEST(messages_of_one_name_on_their_way_are_not_told_apart)
{
    /* The first of them may have been received before a.x was 0. */
    struct notes notes = {0};
    const struct streamed says =
        stream("p: never a.x = 1 and b.x = 1",
               "t@a var x value=1 time=1; t@a send msg=m time=1; t@a var x value=0 time=1;"
               "t@a send msg=m time=1; t@b recv msg=m time=1; t@b var x value=1 time=1",
               &notes);
    CHECK_INT(says.answer.verdict, CUT_UNKNOWN);
    CHECK_INT(notes.list.count, 1);
    CHECK_TEXT(notes.list.at[0].place, "event 3");
    notes_release(&notes);
}

TEST(what_another_property_reads_may_never_be_reported)
{
    const struct streamed says =
        stream("p: never a.x = 1 and b.x = 1 another: never b.z = 1",
               "t@a log time=1; t@b var x value=1 time=1; t@a log time=50; t@b log time=50;"
               "t@a var x value=0 time=60; t@b log time=90",
               NULL);
    CHECK_INT(says.answer.verdict, CUT_NO);
}

TEST(a_report_at_the_end_of_all_times_counts)
{
    const struct streamed says = stream("p: never a.x = 1 and b.x = 1",
                                        "t@a var x value=1 time=9223372036854775807;"
                                        "t@b var x value=1 time=9223372036854775807",
                                        NULL);
    CHECK_INT(says.answer.verdict, CUT_YES);
}

TEST(rings_that_are_large_have_large_pages)
{
    enum { MANY = 1 << 17 }; /* 4 MiB of reports */
    struct rings rings = {0};
    struct source source;
    source_init(&source, &rings);
    for (uint32_t i = 0; i < MANY; i++) {
        *source_next(&source, &rings) = (struct held){.time = i};
        source.end++;
    }
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK_INT(source_held(&source, i)->time, i);
    }
    CHECK_INT((uintptr_t)source.at % MEM_LARGE_PAGE, 0);
    rings_release(&rings);
}

/* The rings of some processes grow, wander and are used again, while others hold little. */
TEST(what_is_held_is_what_came)
{
    struct rings rings = {0};
    struct records records;
    struct source sources[3];
    records_init(&records);
    for (size_t p = 0; p < 3; p++) {
        source_init(&sources[p], &rings);
    }
    for (uint64_t i = 0; i < 400000; i++) {
        struct source *source = &sources[i % 7 == 0 ? 1 : i % 31 == 0 ? 2 : 0];
        struct held *held = source_next(source, &rings);
        *held = (struct held){.time = (int64_t)i / 2, .record = (uint32_t)records.end};
        source->end++;
        if (records.end - records.first > records.mask) {
            records_make_room(&records, sources, 3);
        }
        records.at[records.end++ & records.mask] = (struct record){.number = i};
        const uint64_t held_max = i < 200000 ? 5000 : 50;
        for (size_t p = 0; p < 3; p++) {
            while (sources[p].end - sources[p].first > held_max / (p + 1)) {
                const struct held *first = source_held(&sources[p], sources[p].first);
                CHECK_INT(records_of(&records, first)->number / 2, first->time);
                sources[p].first++;
            }
        }
    }
    for (int64_t time = 199900; time < 200010; time++) {
        for (uint64_t near = 0; near < 60; near++) {
            const struct source *s = &sources[0];
            uint64_t wanted = s->first;
            while (wanted < s->end && source_held(s, wanted)->time < time) {
                wanted++;
            }
            CHECK_INT(source_search(s, s->first, s->end, s->first + near, time), wanted);
        }
    }
    /* The slowest process held one in some 36 for 1,666 of its own. */
    CHECK(records.mask < 131072);
    records_release(&records);
    rings_release(&rings);
}

/* Of processes that hold nothing else, what they held long ago says nothing. */
TEST(room_for_what_is_told_is_no_more_than_for_what_is_held)
{
    enum { PROCESSES = 100, EVENTS = 20000 };
    struct spec s = spec_of("p: never exists p. p.x = 1");
    struct out text;
    out_open_memory(&text);
    for (int p = 0; p < PROCESSES; p++) {
        out_format(&text, "t@n%d var x value=0 time=0;", p);
    }
    out_char(&text, '\0');
    const struct trace *t = trace_of(text.buffer);
    struct state_history processes = {0};
    struct bound bound = {0};
    struct notes notes = {0};
    struct err e;
    struct ingest in = {.lag = INT64_MAX};
    state_history_processes(&processes, t);
    const struct checker_system system = {processes.processes.at, processes.inside_count};
    CHECK_INT(bind_spec(&bound, &s, &system, &e), 0);
    processes.bound = &bound;
    ingest_init(&in, &processes, &s, &t->tables, &notes);
    for (int64_t i = 0; i < EVENTS; i++) {
        struct event event = *trace_at(t, (event_id)(i % PROCESSES));
        const uint32_t process = ingest_process(&in, &event);
        event.time = i;
        const uint64_t end = in.sources[process].end;
        ingest_take(&in, &event, process);
        CHECK_INT(in.sources[process].end, end + 1);
        ingest_feed(&in, INT64_MAX);
        ingest_drop(&in, process, in.sources[process].end);
    }
    CHECK(in.records.mask < 1000);
    ingest_release(&in);
    bound_release(&bound);
    state_history_release(&processes);
    notes_release(&notes);
    out_abandon(&text);
    spec_release(&s);
    trace_of_release();
}
