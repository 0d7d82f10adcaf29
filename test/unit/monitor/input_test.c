/* What is wrong with the reports is said, with place and count; and where it could matter the
 * verdict is unknown. */
#include "monitored.h"

#include <string.h>

#include "monitor/workload.h"
#include "test.h"
#include "trace_of.h"
#include "wire/kind.h"
#include "wire/prng.h"

struct asked {
    enum cut_verdict verdict;
    const char *reason;
    struct notes notes;
};

static struct asked ask_trace(const char *property, const struct trace *t, int64_t skew)
{
    struct asked asked = {0};
    struct spec s = spec_of(property);
    const struct monitor_options o = {.skew = skew};
    const struct monitor_answer answer = monitored(t, &s, &o, &asked.notes);
    asked.verdict = answer.verdict;
    asked.reason = answer.reason;
    spec_release(&s);
    return asked;
}

/* The verdict of a stream of the same events. */
static enum cut_verdict ask_stream(const char *property, const struct trace *t, int64_t skew)
{
    struct spec s = spec_of(property);
    const struct stream_options o = {
        .skew = skew, .check_events = 1, .lag = INT64_MAX, .knows_processes = true};
    const enum cut_verdict verdict = streamed(t, &s, &o, NULL).answer.verdict;
    spec_release(&s);
    return verdict;
}

/* Checks the verdict, of a stream too, and that of all remarks one begins so, as often, first
 * there. */
static void check(const char *property, const char *run, enum cut_verdict verdict,
                  const struct note *wanted)
{
    struct asked asked = ask_trace(property, trace_of(run), 3);
    CHECK_INT(asked.verdict, verdict);
    CHECK_INT(ask_stream(property, trace_of(run), 3), verdict);
    const struct note *found = NULL;
    vec_each (&asked.notes.list, note) {
        if (strncmp(note->text, wanted->text, strlen(wanted->text)) == 0) {
            found = note;
        }
    }
    if (found == NULL) {
        fail_msg("nothing remarked: %s", wanted->text);
    }
    CHECK_INT(found->count, wanted->count);
    CHECK_TEXT(found->place, wanted->place);
    notes_release(&asked.notes);
    trace_of_release();
}

#define NOTE(...) (&(struct note){__VA_ARGS__})

TEST(a_missing_report_may_have_been_what_is_asked_for)
{
    const char *run = "t@a var x value=0 count=1 time=1; t@a var x value=0 count=4 time=9;"
                      "t@b var x value=1 count=1 time=1";
    check("p: never a.x = 1", run, CUT_UNKNOWN, NOTE("a report that is missing", "event 1", 2));
    check("p: never b.x = 2", run, CUT_NO, NOTE("a report that is missing", "event 1", 2));
    check("p: never b.x = 1", run, CUT_YES, NOTE("a report that is missing", "event 1", 2));
}

TEST(a_value_is_known_again_when_it_is_reported_again)
{
    const char *run = "t@a var x value=0 count=1 time=1; t@b var x value=0 count=1 time=1;"
                      "t@a var x value=0 count=3 time=9; t@b var x value=1 count=2 time=30;";
    check("p: never a.x = 1 and b.x = 1", run, CUT_NO,
          NOTE("a report that is missing", "event 2", 1));
}

TEST(what_is_missing_is_not_the_reason_of_everything)
{
    const struct trace *t =
        trace_of("t@a var x value=0 count=1 time=1; t@a var x value=0 count=4 time=9");
    struct asked asked = ask_trace("p: never a.x = 1", t, 3);
    CHECK_TEXT(asked.reason, MONITOR_MISSING);
    notes_release(&asked.notes);
    asked = ask_trace("p: never now > 5", t, 3);
    CHECK(strcmp(asked.reason, MONITOR_MISSING) != 0);
    notes_release(&asked.notes);
    trace_of_release();
}

TEST(a_missing_message_may_rule_a_cut_out)
{
    /* b's report 2 may have received what a sent at 2, after a.x was 1. */
    const char *run = "t@a var x value=1 count=1 time=1; t@a var x value=0 count=2 time=2;"
                      "t@b var y value=0 count=1 time=1; t@b var y value=1 count=3 time=3";
    check("p: never a.x = 1 and b.y = 1", run, CUT_UNKNOWN,
          NOTE("a report that is missing", "event 3", 1));
}

TEST(a_receive_that_is_missing_may_have_been_over)
{
    /* When c reported at 9, b was past 6; it may have received by then what a sent at 8. */
    const char *run = "t@b var y value=1 count=0 time=1; t@b var y value=1 count=2 time=7;"
                      "t@a var x value=1 time=1; t@a var x value=0 time=7;"
                      "t@a snd c msg=m mode=udp time=8; t@c var z value=1 time=9";
    check("p: never a.x = 1 and c.z = 1", run, CUT_UNKNOWN,
          NOTE("a report that is missing", "event 1", 1));
    check("p: never a.x = 1 and c.z = 2", run, CUT_NO,
          NOTE("a report that is missing", "event 1", 1));
}

TEST(a_receive_whose_send_is_missing_may_have_been_over)
{
    /* When c reported at 9, a was past 4 and had received what b may have sent at 7. */
    const char *run = "t@a var x value=1 time=1; t@a rcv c msg=m mode=udp time=4;"
                      "t@a var x value=0 time=9; t@b var y value=1 count=0 time=1;"
                      "t@b log count=1 time=6; t@b var y value=0 count=4 time=8;"
                      "t@c var z value=1 time=9";
    check("p: never a.x = 1 and b.y = 1 and c.z = 1", run, CUT_UNKNOWN,
          NOTE("a report that is missing", "event 5", 2));
}

TEST(a_send_that_is_left_out_for_being_late_is_missing)
{
    /* What else is missing, before the send, may have been that a.x is 0. */
    const char *run = "t@a var x value=1 count=0 time=1; t@a var x value=0 count=3 time=4;"
                      "t@a snd c msg=m mode=udp count=2 time=3; t@b rcv c msg=m mode=udp time=4;"
                      "t@b var y value=1 time=4";
    check("p: never a.x = 1 and b.y = 1", run, CUT_UNKNOWN,
          NOTE("a report that comes after later ones", "event 2", 1));
}

TEST(messages_may_be_missing_with_both_their_ends)
{
    const char *run = "t@a snd c msg=m mode=udp count=0 time=1; t@a log count=2 time=9;"
                      "t@b rcv c msg=m mode=udp count=0 time=15; t@b log count=2 time=20";
    check("p: never messages(a, b) >= 2", run, CUT_UNKNOWN,
          NOTE("a report that is missing", "event 1", 2));
}

TEST(what_is_missing_came_after_what_was_heard)
{
    const char *run = "t@a var x value=0 count=0 time=1; t@a log count=1 time=90;"
                      "t@a var x value=0 count=3 time=99; t@b var y value=1 time=1;"
                      "t@b var y value=0 time=50";
    check("p: never a.x = 1 and b.y = 1", run, CUT_NO,
          NOTE("a report that is missing", "event 2", 1));
}

TEST(a_repeated_report_counts_once)
{
    const char *run = "t@a var x value=0 count=1 time=1; t@a var x value=1 count=2 time=2;"
                      "t@a var x value=1 count=2 time=2; t@a var x value=0 count=3 time=3";
    check("p: never a.x = 2", run, CUT_NO, NOTE("a report that came before", "event 2", 1));
}

TEST(reports_out_of_order_are_put_in_order)
{
    const char *run = "t@a var x value=0 count=1 time=1; t@a var x value=0 count=3 time=3;"
                      "t@a var x value=1 count=2 time=2; t@a var x value=0 count=4 time=4";
    check("p: never a.x = 1", run, CUT_YES,
          NOTE("a report that comes after later ones", "event 2", 1));
    check("p: never a.x = 2", run, CUT_NO,
          NOTE("a report that comes after later ones", "event 2", 1));
    check("p: never a.h = 1 and b.h = 1",
          "t@a var h value=0 count=1 time=0; t@b var h value=0 count=1 time=0;"
          "t@a var h value=1 count=2 time=5; t@a var h value=0 count=3 time=8;"
          "t@b var h value=0 count=3 time=10; t@b var h value=1 count=2 time=4;"
          "t@b var h value=0 count=4 time=20",
          CUT_YES, NOTE("a report that comes after later ones", "event 5", 1));
    check("p: never a.x = 1",
          "t@a var x value=0 count=3 time=3; t@a var x value=0 count=2 time=2;"
          "t@a var x value=0 count=1 time=1",
          CUT_NO, NOTE("a report that comes after later ones", "event 2", 1));
}

TEST(what_came_before_the_first_number_is_missing)
{
    const char *run = "t@a var h value=0 count=1 time=0; t@a var h value=1 count=2 time=5;"
                      "t@a var h value=0 count=3 time=8; t@b var h value=0 count=3 time=10;"
                      "t@b var h value=0 count=4 time=20";
    check("p: never a.h = 1 and b.h = 1", run, CUT_UNKNOWN,
          NOTE("a report that is missing", "event 3", 2));
    check("p: never a.h = 2", run, CUT_NO, NOTE("a report that is missing", "event 3", 2));
}

TEST(a_name_that_two_messages_have_says_nothing)
{
    /* d has received the message of c, or that of a, which a sent after its h was 1. */
    const char *run =
        "t@a var h value=0 time=0; t@d var h value=0 time=0; t@a var h value=1 time=1;"
        "t@a var h value=0 time=4; t@a snd x msg=x mode=udp time=5;"
        "t@c snd x msg=x mode=udp time=5; t@d rcv x msg=x mode=udp time=5;"
        "t@d var h value=1 time=6";
    check("p: never a.h = 1 and d.h = 1", run, CUT_UNKNOWN,
          NOTE("a message with a name that several have", "event 6", 1));
}

TEST(threads_that_nothing_orders_may_have_reported_in_another_order)
{
    const char *run = "f@a var x value=1 time=1; f@a var x value=0 time=2;"
                      "g@a var y value=1 time=30; g@a var y value=0 time=31";
    check("p: never a.x = 1 and a.y = 1", run, CUT_UNKNOWN,
          NOTE("a report of a thread that nothing orders", "event 2", 1));
    struct asked asked = ask_trace(
        "p: never a.x = 1 and a.y = 1",
        trace_of("f@a acq m; f@a var x value=1 time=1; f@a var x value=0 time=2; f@a rel m;"
                 "g@a acq m; g@a var y value=1 time=30; g@a var y value=0 time=31; g@a rel m"),
        3);
    CHECK_INT(asked.verdict, CUT_NO);
    notes_release(&asked.notes);
    trace_of_release();
}

TEST(messages_of_byte_streams_may_rule_out_what_a_stream_of_events_shows)
{
    const struct trace *t =
        trace_of("t@a var h value=1 time=1; t@a var h value=0 time=2;"
                 "t@a snd a>b size=1 mode=tcp time=3; t@b rcv a>b size=1 mode=tcp time=4;"
                 "t@b var h value=1 time=5; t@b var h value=0 time=6");
    struct asked asked = ask_trace("p: never a.h = 1 and b.h = 1", t, 10);
    CHECK_INT(asked.verdict, CUT_NO);
    CHECK_INT(ask_stream("p: never a.h = 1 and b.h = 1", t, 10), CUT_UNKNOWN);
    notes_release(&asked.notes);
    trace_of_release();
}

TEST(numbers_go_on_around_their_end)
{
    const char *run = "t@a process-start count=4294967294 time=0;"
                      "t@a var x value=0 count=4294967295 time=1; t@a var x value=0 count=0 time=2;"
                      "t@a var x value=0 count=0 time=2";
    check("p: never a.x = 1", run, CUT_NO, NOTE("a report that came before", "event 3", 1));
}

TEST(a_process_that_begins_anew_has_no_values_and_counts_anew)
{
    const char *run = "t@a process-start count=0 time=1; t@a var x value=1 count=1 time=2;"
                      "t@a process-start count=0 time=5; t@a var y value=1 count=1 time=6;"
                      "t@a var y value=1 count=1 time=6";
    check("p: never a.x = 1 and a.y = 1", run, CUT_NO,
          NOTE("a report that came before", "event 4", 1));
}

TEST(a_beginning_without_a_number_counts_anew_too)
{
    const char *run = "t@a process-start count=0 time=1; t@a var x value=0 count=1 time=2;"
                      "t@b var x value=1 time=1; t@a process-start time=5;"
                      "t@a var x value=1 count=0 time=6; t@a var x value=1 count=0 time=6";
    check("p: never a.x = 1 and b.x = 1", run, CUT_YES,
          NOTE("a report that came before", "event 5", 1));
}

TEST(clocks_that_jump_back_or_ahead_make_no_a_maybe)
{
    check("p: never a.x = 2", "t@a var x value=1 time=9; t@a var x value=0 time=3", CUT_UNKNOWN,
          NOTE("a clock that goes back", "event 1", 1));
    check("p: never a.x = 2",
          "t@a var x value=1 time=9; t@a snd c msg=m mode=udp time=90;"
          "t@b rcv c msg=m mode=udp time=12",
          CUT_UNKNOWN, NOTE("a message that arrived before it was sent", "event 2", 1));
    check("p: never a.x = 2", "t@a var x value=1 time=9; t@a var x value=1 time=10 hlc=90,0",
          CUT_UNKNOWN, NOTE("a hybrid clock that is ahead", "event 1", 1));
}

TEST(a_clock_goes_back_behind_whatever_was_heard)
{
    check("p: never a.x = 1 and b.x = 1",
          "t@a log time=90; t@a var x value=1 time=50; t@a var x value=0 time=60;"
          "t@b var x value=1 time=90",
          CUT_UNKNOWN, NOTE("a clock that goes back", "event 1", 2));
    check("p: never a.x = 1 and b.x = 1",
          "t@a var x value=0 time=0; t@b var x value=0 time=0; t@b log time=100;"
          "t@b var x value=1 time=10; t@b var x value=0 time=11; t@a var x value=1 time=99;"
          "t@a var x value=0 time=101; t@b log time=110; t@a var x value=0 time=120",
          CUT_UNKNOWN, NOTE("a clock that goes back", "event 3", 2));
    check("p: never a.x = 2", "t@a var x value=1 time=1; t@a log time=9; t@a log time=3",
          CUT_UNKNOWN, NOTE("a clock that goes back", "event 2", 1));
}

TEST(clocks_that_say_nothing_do_not_go_back)
{
    struct asked asked = ask_trace(
        "p: never a.x = 2", trace_of("t@a var x value=1 time=9; t@a var x value=0 time=3; t@b log"),
        INT64_MAX);
    CHECK_INT(asked.verdict, CUT_NO);
    CHECK_INT(asked.notes.list.count, 0);
    notes_release(&asked.notes);
    trace_of_release();
}

TEST(a_value_of_the_wrong_type_may_be_anything)
{
    check("p: never a.x = 2", "t@a var x value=1 time=1; t@a var x text=many time=2", CUT_UNKNOWN,
          NOTE("a value that is no number", "event 1", 1));
    check("p: never a.x = 2 and a.y = 1",
          "t@a var x value=1 time=1; t@a var y value=0 time=1; t@a var x text=many time=2", CUT_NO,
          NOTE("a value that is no number", "event 2", 1));
}

TEST(a_variable_that_nobody_reports_is_named)
{
    check("p: never a.y = 2", "t@a var x value=1 time=1", CUT_UNKNOWN,
          NOTE("nobody reports the variable \"y\"", "a", 1));
}

TEST(what_nobody_reports_is_not_known_after_a_new_beginning_either)
{
    check("p: never a.x = 1 and b.y = 1",
          "t@a process-start time=1; t@b var y value=0 time=1; t@a process-start time=5;"
          "t@b var y value=1 time=50; t@a log time=60",
          CUT_UNKNOWN, NOTE("nobody reports the variable \"x\"", "a", 1));
}

/* ---- what is missing never changes an answer ---- */

static const char *const properties[] = {
    "p: never forall p. p.v = 1",     "p: never count(p: p.v = 1) >= 2",
    "p: never p1.v = 1 and p3.v = 0", "p: never sum(p: p.v) = 3",
    "p: never p1.v + p2.v >= 2",      "p: never count(p: p.v = 0) <= 0",
};

/* A copy whose reports are numbered, some of them left out: not the first of each process, and
 * not the last, behind which no number tells that something is missing. */
static void copy_damaged(const struct trace *from, uint32_t drop_percent, struct prng *prng,
                         struct trace *to)
{
    uint32_t count[8] = {0};
    event_id last[8] = {0};
    for (event_id id = 0; id < from->events.count; id++) {
        last[trace_at(from, id)->task] = id;
    }
    to->tables.order = ORDER_NODE;
    for (event_id id = 0; id < from->events.count; id++) {
        struct event e = *trace_at(from, id);
        const struct task *task = &from->tables.tasks.at[e.task];
        struct tables *t = &to->tables;
        const bool is_end = count[e.task] == 0 || last[e.task] == id;
        const uint32_t number = count[e.task]++;
        e.count = number;
        e.has |= HAS_COUNT;
        e.task = tables_task(t, names_intern_text(&t->names, trace_name(from, task->node)),
                             names_intern_text(&t->names, "main"));
        e.object = names_intern_text(&t->names, trace_name(from, e.object));
        e.message = names_intern_text(&t->names, trace_name(from, e.message));
        if (is_end || prng_below(prng, 100) >= drop_percent) {
            trace_append(to, &e);
        }
    }
    trace_seal(to);
}

TEST(what_is_missing_never_changes_an_answer)
{
    struct prng prng;
    uint64_t tally[CUT_YES + 1] = {0};
    prng_init(&prng, 5);
    for (uint64_t i = 1; i <= test_count(300, 20000); i++) {
        struct workload w = workload_default(WORKLOAD_SYNTHETIC);
        w.process_count = 3;
        w.skew = (int64_t)prng_below(&prng, 12);
        w.delay = 2;
        w.beta = 60000;
        w.message_rate = 60000;
        w.duration = 120;
        w.seed = i;
        struct trace whole;
        struct trace damaged;
        trace_init(&whole);
        trace_init(&damaged);
        workload_run(&w, &whole);
        copy_damaged(&whole, (uint32_t)prng_below(&prng, 8), &prng, &damaged);
        const char *property = properties[i % (sizeof properties / sizeof *properties)];
        struct asked wanted = ask_trace(property, &whole, w.skew);
        struct asked got = ask_trace(property, &damaged, w.skew);
        const enum cut_verdict streamed = ask_stream(property, &damaged, w.skew);
        CHECK(wanted.verdict != CUT_UNKNOWN);
        if ((got.verdict != CUT_UNKNOWN && got.verdict != wanted.verdict) ||
            (streamed != CUT_UNKNOWN && streamed != wanted.verdict)) {
            fail_msg("seed %llu, %s: %d, in a stream %d, but %d when nothing is missing",
                     (unsigned long long)i, property, (int)got.verdict, (int)streamed,
                     (int)wanted.verdict);
        }
        tally[got.verdict]++;
        notes_release(&wanted.notes);
        notes_release(&got.notes);
        trace_release(&damaged);
        trace_release(&whole);
    }
    CHECK(tally[CUT_YES] > 0);
    CHECK(tally[CUT_NO] > 0);
    CHECK(tally[CUT_UNKNOWN] > 0);
}

/* The cut that shows the property on the run, with a skew of 3. */
static void check_why(const char *property, const char *run, const char *why)
{
    struct spec s = spec_of(property);
    struct monitor_result result = {0};
    struct findings findings = {0};
    struct notes notes = {0};
    struct err e;
    const struct monitor_options o = {.spec = &s, .skew = 3};
    CHECK_INT(monitor_find(trace_of(run), &o, &findings, &result, &notes, &e), 0);
    CHECK_INT(findings.list.count, 1);
    CHECK_TEXT(findings.list.at[0].why, why);
    monitor_result_release(&result);
    findings_release(&findings);
    notes_release(&notes);
    spec_release(&s);
    trace_of_release();
}

/* The clock of b is behind that of a: what it has heard of is later than what it reads. */
TEST(what_has_times_and_no_stamps_is_given_stamps)
{
    check_why("p: never a.x = 1 and b.x = 1",
              "tick 1; t@a var x value=0 time=5; t@b var x value=0 time=5;"
              "t@a var x value=1 time=9; t@a snd c msg=m mode=udp time=10;"
              "t@b rcv c msg=m mode=udp time=8; t@b var x value=1 time=8",
              "a: x = 1, after event 3 (l 10, c 0), time 10 ns to the end\n"
              "b: x = 1, after event 5 (l 10, c 2), time 8 ns to the end\n"
              "0 messages on the way");
}

TEST(a_message_in_pieces_is_told_once)
{
    check_why("p: never messages(a, b) = 1",
              "t@a snd 1:1>2:2 mode=tcp size=10 time=6; t@b rcv 1:1>2:2 mode=tcp size=4 time=8;"
              "t@b rcv 1:1>2:2 mode=tcp size=6 time=9",
              "a: after event 0 (l 6, c 0), time 6 to the end\n"
              "b: before its first report\n"
              "1 message on the way: event 0 (a to b)\n"
              "the clocks show these states together from 6 to 8 (2 ticks)");
}

TEST(a_cut_within_a_gap_says_so)
{
    check_why("p: never a.x = 1",
              "t@b var y value=0 count=0 time=1; t@b var y value=0 count=2 time=9;"
              "t@a var x value=1 time=8",
              "b: among what is missing before event 1, time 1 to the end\n"
              "a: x = 1, after event 2 (l 8, c 0), time 8 to the end\n"
              "0 messages on the way");
}
