#include "import/json/falcon.h"

#include <dirent.h>
#include <stdio.h>

#include "reading.h"
#include "test.h"
#include "trace_of.h"

#define HEADER "tick 1000000; source falcon;"
#define A "{\"thread\":\"T@n\",\"type\":\"W\",\"variable\":\"x\"}"
#define B "{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"y\"}"
#define A_AND_B HEADER "T@n w x; T@n r y"

static void check_reads(const char *text, const char *wanted)
{
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(wanted));
    reading_release(&r);
}

TEST(every_type_becomes_its_kind)
{
    check_reads(
        "{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"x\",\"loc\":\"A:1\",\"counter\":0}\n"
        "{\"thread\":\"T@n\",\"type\":\"W\",\"variable\":\"x\",\"counter\":4294967295}\n"
        "{\"thread\":\"T@n\",\"type\":\"LOCK\",\"variable\":\"m\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"UNLOCK\",\"variable\":\"m\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"CREATE\",\"child\":\"U@n\"}\n"
        "{\"thread\":\"U@n\",\"type\":\"START\"}\n"
        "{\"thread\":\"U@n\",\"type\":\"END\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"JOIN\",\"child\":\"U@n\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"NOTIFY\",\"variable\":\"c\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"NOTIFYALL\",\"variable\":\"c\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"HANDLERBEGIN\",\"counter\":3}\n"
        "{\"thread\":\"T@n\",\"type\":\"HANDLEREND\",\"counter\":3}\n"
        "{\"thread\":\"T@n\",\"type\":\"LOG\",\"data\":\"one\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"LOG\",\"message\":\"two\"}\n",
        HEADER "T@n r x @A:1 count=0; T@n w x count=4294967295; T@n acq m; T@n rel m;"
               "T@n fork U@n; U@n begin; U@n end; T@n join U@n; T@n notify c; T@n notify-all c;"
               "T@n hb count=3; T@n he count=3; T@n log text=one; T@n log text=two");
}

TEST(the_dissertation_spells_types_in_full)
{
    check_reads("{\"thread\":\"T@n\",\"type\":\"FORK\",\"child\":\"U@n\"}"
                "{\"thread\":\"T@n\",\"type\":\"READ\",\"variable\":\"x\"}"
                "{\"thread\":\"T@n\",\"type\":\"WRITE\",\"variable\":\"x\"}",
                HEADER "T@n fork U@n; T@n r x; T@n w x");
}

TEST(network_events_hold_their_channel)
{
    check_reads("{\"thread\":\"T@n\",\"type\":\"SND\",\"src\":\"a\",\"src_port\":5,\"dst\":\"b\","
                "\"dst_port\":\"80\",\"size\":7,\"socket_type\":\"UDP\",\"socket\":\"s\","
                "\"message\":971495808,\"timestamp\":0}"
                "{\"thread\":\"U@m\",\"type\":\"RCV\",\"src\":\"a\",\"src_port\":\"5\","
                "\"dst\":\"b\",\"dst_port\":80,\"socket_type\":\"TCP\","
                "\"message\":\"971495808\",\"timestamp\":-1}"
                "{\"thread\":\"T@n\",\"type\":\"CONNECT\",\"dst\":\"::1\",\"socket_type\":\"UNIX\"}"
                "{\"thread\":\"T@n\",\"type\":\"ACCEPT\"}"
                "{\"thread\":\"T@n\",\"type\":\"CLOSE\",\"socket\":\"s\"}"
                "{\"thread\":\"T@n\",\"type\":\"SHUTDOWN\",\"src\":\"a\",\"dst\":\"b\"}",
                HEADER "T@n snd a:5>b:80 size=7 mode=udp text=s msg=971495808 time=0;"
                       "U@m rcv a:5>b:80 mode=tcp msg=971495808 time=-1;"
                       "T@n connect >::1: mode=unix; T@n accept; T@n close text=s;"
                       "T@n shutdown a>b");
}

/* A wait-end alone, whose lock is the condition; see docs/theory/races-semantics.md. */
TEST(a_wait_is_one_event_and_stays_one)
{
    const char *text = "{\"thread\":\"T@n\",\"type\":\"WAIT\",\"variable\":\"c\"}\n"
                       "{\"thread\":\"U@n\",\"type\":\"NOTIFY\",\"variable\":\"c\"}\n";
    check_reads(text, HEADER "T@n woken c; U@n notify c");
    struct reading r = read_text(text);
    char *again = written(&format_falcon, &r.trace, &r.notes);
    CHECK(strstr(again, "\"type\":\"WAIT\"") != NULL);
    CHECK(strstr(again, "\"type\":\"NOTIFY\"") != NULL);
    mem_free(again);
    reading_release(&r);
}

TEST(objects_may_stand_in_lines_behind_each_other_or_in_arrays)
{
    check_reads(A "\n" B "\n", A_AND_B);
    check_reads(A "\r\n\r\n" B, A_AND_B);
    check_reads(A B, A_AND_B);
    check_reads("[" A "," B "]", A_AND_B);
    check_reads(" [\n\t" A "\n,\n" B "\n]\n", A_AND_B);
    check_reads("[" A "]\n[]\n[" B "]", A_AND_B);
    check_reads(A "[" B "]", A_AND_B);
    check_reads(A ",\n" B ",\n", A_AND_B);
    check_reads("\xef\xbb\xbf" A B, A_AND_B);
}

TEST(objects_may_span_lines_with_fields_in_any_order)
{
    check_reads("{\n  \"variable\": \"x\",\n  \"type\": \"W\",\n  \"thread\": \"T@n\"\n}"
                "{\n  \"type\"\n:\n\"R\",\"thread\":\"T@n\",\n  \"variable\": \"y\"\n}\n",
                A_AND_B);
}

TEST(null_is_as_good_as_absent)
{
    check_reads("{\"thread\":\"T@n\",\"type\":\"W\",\"variable\":\"x\",\"loc\":null,"
                "\"timestamp\":null,\"counter\":null,\"child\":null,\"id\":null}" B,
                A_AND_B);
}

TEST(escapes_are_taken_for_what_they_mean)
{
    check_reads("{\"thread\":\"T@n\",\"type\":\"\\u0057\",\"variable\":\"\\u0078\"}"
                "{\"thread\":\"T@n\",\"\\u0074ype\":\"R\",\"variable\":\"y\"}",
                A_AND_B);
    struct reading r = read_text("{\"thread\":\"T\",\"type\":\"R\",\"variable\":"
                                 "\"\\ud83e\\uddf6\\\"\\\\\\/\\n\xc3\xbc\"}");
    CHECK_TEXT(trace_name(&r.trace, r.trace.events.at[0].object),
               "\xf0\x9f\xa7\xb6\"\\/\n\xc3\xbc");
    reading_release(&r);
}

TEST(numbers_reach_to_their_limits)
{
    check_reads("{\"thread\":\"T\",\"type\":\"R\",\"timestamp\":9223372036854775807,"
                "\"size\":9223372036854775807}"
                "{\"thread\":\"T\",\"type\":\"R\",\"timestamp\":-9223372036854775808}",
                HEADER "T r time=9223372036854775807 size=9223372036854775807;"
                       "T r time=-9223372036854775808");
}

TEST(offsets_are_those_of_the_opening_braces)
{
    struct reading r = read_text(" noise\n" A "\n  " B B);
    CHECK_INT(r.offsets.count, 3);
    CHECK_INT(r.offsets.at[0], 7);
    CHECK_INT(r.offsets.at[1], 7 + sizeof A - 1 + 3);
    CHECK_INT(r.offsets.at[2], 7 + sizeof A - 1 + 3 + sizeof B - 1);
    reading_release(&r);
}

static void check_stray(const char *text, uint64_t count, const char *place)
{
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(A_AND_B));
    CHECK_INT(r.notes.list.count, 1);
    CHECK_INT(noted(&r.notes, "lines that are no events: skipped"), count);
    CHECK_TEXT(r.notes.list.at[0].place, place);
    reading_release(&r);
}

TEST(lines_that_are_no_events_are_counted)
{
    check_stray(A "\nINFO started\n" B "\n", 1, "memory: byte 43");
    check_stray("2020-01-01 12:00 INFO\n" A "\n[main] WARN x\n\"a\"\nnull\n" B "\n]", 5,
                "memory: byte 0");
    check_stray(A " and more\n" B, 1, "memory: byte 43");
    check_stray(A "\n\"never ends\n" B, 1, "memory: byte 43");
    check_stray(A "\n[[[[\n" B "tru", 2, "memory: byte 43");
}

TEST(a_trace_may_begin_with_many_lines_of_others)
{
    struct out text;
    out_open_memory(&text);
    for (int i = 0; i < 100; i++) {
        out_format(&text, "[main] INFO line %d\n", i);
    }
    out_text(&text, A "\n" B "\n");
    struct reading r = read_bytes(text.buffer, text.used);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(noted(&r.notes, "lines that are no events: skipped"), 100);
    reading_release(&r);
    out_abandon(&text);
}

TEST(what_has_no_place_is_counted)
{
    struct reading r = read_text(
        "{\"thread\":\"T\",\"type\":\"W\",\"pid\":1,\"x\":{\"y\":[1,{\"z\":true}]},\"child\":\"U\"}"
        "{\"thread\":\"T\",\"type\":\"W\",\"pid\":2,\"socket_type\":\"UDP\",\"\":1}"
        "{\"thread\":\"T\",\"type\":\"SND\",\"socket_type\":\"SCTP\",\"variable\":\"x\"}"
        "{\"thread\":\"T\",\"type\":\"LOG\",\"data\":\"one\",\"message\":\"two\"}");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(noted(&r.notes, "Falcon has no field \"pid\": skipped"), 2);
    CHECK_INT(noted(&r.notes, "Falcon has no field \"x\": skipped"), 1);
    CHECK_INT(noted(&r.notes, "Falcon has no field \"\": skipped"), 1);
    CHECK_INT(noted(&r.notes, "field \"child\" means nothing for its type of event"), 1);
    CHECK_INT(noted(&r.notes, "field \"socket_type\" means nothing"), 1);
    CHECK_INT(noted(&r.notes, "field \"variable\" means nothing"), 1);
    CHECK_INT(noted(&r.notes, "field \"message\" means nothing"), 1);
    CHECK_INT(noted(&r.notes, "socket types that are not known: left unsaid"), 1);
    CHECK_INT(r.notes.list.count, 8);
    check_same_trace(&r.trace, trace_of(HEADER "T w; T w; T snd; T log text=one"));
    reading_release(&r);
}

/* Reads `text`, which stands between two good events: the trace wanted, and what is noted. */
static void check_ignored(const char *text, const char *wanted, const char *note, uint64_t count)
{
    char all[2048];
    char trace[2048];
    (void)snprintf(all, sizeof all, "%s\n%s\n%s\n", A, text, B);
    (void)snprintf(trace, sizeof trace, HEADER "T@n w x; %s%s T@n r y", wanted,
                   wanted[0] == '\0' ? "" : ";");
    struct reading r = read_text(all);
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(trace));
    if (note != NULL) {
        CHECK_INT(noted(&r.notes, note), count);
    }
    CHECK_INT(r.notes.list.count, note != NULL);
    reading_release(&r);
}

#define EVENT(rest) "{\"thread\":\"T@n\",\"type\":\"SND\"," rest "}"

TEST(values_that_a_field_cannot_have_are_ignored_and_counted)
{
    check_ignored(EVENT("\"data\":{\"host\":\"a\",\"ports\":[1,{\"x\":null}]}"), "T@n snd",
                  "field \"data\" is an object: skipped", 1);
    check_ignored(EVENT("\"loc\":{\"line\":7}") EVENT("\"loc\":{}"), "T@n snd; T@n snd",
                  "field \"loc\" is an object: skipped", 2);
    check_ignored(EVENT("\"src\":[\"x\",[]]"), "T@n snd", "field \"src\" is an array: skipped", 1);
    check_ignored(EVENT("\"timestamp\":true"), "T@n snd",
                  "field \"timestamp\" is true or false: skipped", 1);
    check_ignored(EVENT("\"timestamp\":\"soon\""), "T@n snd",
                  "field \"timestamp\" is not a time: skipped", 1);
    check_ignored(EVENT("\"timestamp\":\"\""), "T@n snd",
                  "field \"timestamp\" is not a time: skipped", 1);
    check_ignored(EVENT("\"size\":\"7 bytes\""), "T@n snd",
                  "field \"size\" is not a number: skipped", 1);
    check_ignored(EVENT("\"size\":7.5"), "T@n snd", "field \"size\" is not whole: skipped", 1);
    check_ignored(EVENT("\"size\":-1"), "T@n snd", "field \"size\" is out of range: skipped", 1);
    check_ignored("{\"thread\":\"T@n\",\"type\":\"R\",\"counter\":4294967296}", "T@n r",
                  "field \"counter\" is out of range: skipped", 1);
    check_ignored(EVENT("\"timestamp\":9223372036854775808"), "T@n snd",
                  "field \"timestamp\" is out of range: skipped", 1);
    check_ignored(EVENT("\"timestamp\":-9223372036854775809"), "T@n snd",
                  "field \"timestamp\" is out of range: skipped", 1);
    check_ignored(EVENT("\"timestamp\":1e400"), "T@n snd",
                  "field \"timestamp\" is out of range: skipped", 1);
    check_ignored("{\"thread\":\"T@n\",\"type\":\"CREATE\",\"child\":\"\"}", "T@n fork",
                  "field \"child\" is empty: skipped", 1);
    check_ignored("{\"thread\":\"T@n\",\"type\":\"R\",\"loc\":\"\xc0\x80\"}", "T@n r",
                  "field \"loc\" is not UTF-8: skipped", 1);
    check_ignored("{\"thread\":\"T@n\",\"type\":\"R\",\"loc\":\"\\udc00\"}", "T@n r",
                  "field \"loc\" is not UTF-8: skipped", 1);
}

TEST(texts_may_be_numbers_and_numbers_texts)
{
    check_ignored("{\"thread\":1,\"type\":\"W\",\"variable\":1.5,\"loc\":-7,\"counter\":\"12\"}",
                  "1 w 1.5 @-7 count=12", NULL, 0);
    check_ignored(EVENT("\"src\":1,\"dst\":2,\"src_port\":\"3\",\"dst_port\":4,\"size\":\"96\","
                        "\"socket\":5,\"message\":1e3"),
                  "T@n snd 1:3>2:4 size=96 text=5 msg=1e3", NULL, 0);
    check_ignored(EVENT("\"size\":96.0"), "T@n snd size=96", NULL, 0);
    check_ignored(EVENT("\"size\":9223372036854775807"), "T@n snd size=9223372036854775807", NULL,
                  0);
}

TEST(a_type_may_be_its_number)
{
    check_ignored("{\"thread\":\"T@n\",\"type\":6}{\"thread\":\"T@n\",\"type\":\"7\"}"
                  "{\"thread\":\"T@n\",\"type\":9}{\"thread\":\"T@n\",\"type\":\"20\"}"
                  "{\"thread\":\"T@n\",\"type\":1,\"child\":2}",
                  "T@n r; T@n w; T@n rcv; T@n notify-all; T@n fork 2", NULL, 0);
}

TEST(a_timestamp_may_be_any_number_or_a_date)
{
    check_ignored(EVENT("\"timestamp\":\"1579533559592\""), "T@n snd time=1579533559592", NULL, 0);
    check_ignored(EVENT("\"timestamp\":1.579533559592e12"), "T@n snd time=1579533559592", NULL, 0);
    check_ignored(EVENT("\"timestamp\":\"-5\""), "T@n snd time=-5", NULL, 0);
    check_ignored(EVENT("\"timestamp\":\"2020-01-20T15:19:19.592Z\""), "T@n snd time=1579533559592",
                  NULL, 0);
    check_ignored(EVENT("\"timestamp\":\"2020-01-20 16:19:19.592+01:00\""),
                  "T@n snd time=1579533559592", NULL, 0);
    check_ignored(EVENT("\"timestamp\":12.5") EVENT("\"timestamp\":\"-12.5\""),
                  "T@n snd time=12; T@n snd time=-13",
                  "parts of a time below a millisecond: dropped", 2);
}

TEST(objects_that_are_no_events_are_skipped_and_counted)
{
    check_ignored("{\"thread\":\"T@n\",\"type\":\"FSYNC\"}{\"thread\":\"T@n\",\"type\":\"FSYNC\"}",
                  "", "Falcon has no type \"FSYNC\": events skipped", 2);
    check_ignored("{\"thread\":\"T@n\",\"type\":99}", "",
                  "Falcon has no type \"99\": events skipped", 1);
    check_ignored("{\"thread\":\"T@n\"}{}", "", "objects without a \"type\": skipped", 2);
    check_ignored("{\"type\":\"R\"}", "", "events without a \"thread\": skipped", 1);
    struct reading r = read_text("[" A ",7,\"x\",[" A ",{}],null," B ",[]]");
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(A_AND_B));
    CHECK_INT(noted(&r.notes, "elements of an array that are no events: skipped"), 5);
    CHECK_INT(r.notes.list.count, 1);
    reading_release(&r);
}

TEST(of_a_field_that_is_there_twice_the_last_counts)
{
    check_ignored("{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"a\",\"variable\":\"b\"}",
                  "T@n r b", "field \"variable\" twice in one event: the last one counts", 1);
    check_ignored("{\"thread\":\"T@n\",\"type\":\"R\",\"type\":\"W\"}", "T@n w",
                  "field \"type\" twice in one event: the last one counts", 1);
}

TEST(an_id_that_two_events_have_is_counted)
{
    check_ignored("{\"thread\":\"T@n\",\"type\":\"R\",\"id\":1}"
                  "{\"thread\":\"T@n\",\"type\":\"R\",\"id\":3}"
                  "{\"thread\":\"T@n\",\"type\":\"R\",\"id\":1}"
                  "{\"thread\":\"T@n\",\"type\":\"R\",\"id\":\"1\"}"
                  "{\"thread\":\"T@n\",\"type\":\"R\",\"id\":\"1\"}",
                  "T@n r; T@n r; T@n r; T@n r; T@n r",
                  "ids that an earlier event has: both events are read", 2);
}

TEST(many_unknown_fields_are_counted_together)
{
    struct out text;
    out_open_memory(&text);
    out_text(&text, "{\"thread\":\"T\",\"type\":\"W\"");
    for (int i = 0; i < 100; i++) {
        out_format(&text, ",\"field%d\":0", i);
    }
    out_text(&text, "}");
    struct reading r = read_bytes(text.buffer, text.used);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(noted(&r.notes, "Falcon has no field \"field15\": skipped"), 1);
    CHECK_INT(noted(&r.notes, "more fields that Falcon does not have: skipped"), 84);
    reading_release(&r);
    out_abandon(&text);
}

TEST(ids_may_come_in_any_order_and_any_form)
{
    check_reads("{\"thread\":\"T@n\",\"type\":\"W\",\"variable\":\"x\",\"id\":70}"
                "{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"y\",\"id\":-3}"
                "{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"y\",\"id\":69}"
                "{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"y\",\"id\":\"69\"}"
                "{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"y\",\"id\":\"\"}",
                A_AND_B "; T@n r y; T@n r y; T@n r y");
}

/* Reads the file, writes it, reads that, and compares; returns how many events there were. */
static size_t check_round_trip(const char *path)
{
    struct reading first = read_path(path);
    CHECK_TEXT(first.error.text, "");
    char *text = written(&format_falcon, &first.trace, &first.notes);
    struct reading second = read_text(text);
    CHECK_TEXT(second.error.text, "");
    check_same_trace(&second.trace, &first.trace);
    CHECK_INT(first.notes.list.count, 0);
    const size_t count = first.trace.events.count;
    mem_free(text);
    reading_release(&second);
    reading_release(&first);
    return count;
}

static size_t line_count(const char *path)
{
    FILE *file = fopen(path, "r");
    must(file != NULL);
    size_t count = 0;
    int before = '\n';
    for (int c = 0; (c = fgetc(file)) != EOF; before = c) {
        count += c == '\n';
    }
    (void)fclose(file);
    return before == '\n' ? count : count + 1;
}

TEST(published_traces_survive_writing_and_reading)
{
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s/falcon", test_shared_data());
    DIR *files = opendir(folder);
    must(files != NULL);
    size_t trace_count = 0;
    const struct dirent *file = NULL;
    while ((file = readdir(files)) != NULL) {
        const char *ending = strrchr(file->d_name, '.');
        if (ending == NULL || strcmp(ending, ".log") != 0) {
            continue;
        }
        char path[2048];
        (void)snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        CHECK_INT(check_round_trip(path), line_count(path));
        trace_count++;
    }
    (void)closedir(files);
    CHECK(trace_count >= 16);
}

/* Writes the trace and reads it again; returns what writing remarked. */
static struct notes check_written(const char *trace, const char *wanted)
{
    struct notes notes = {0};
    char *text = written(&format_falcon, trace_of(trace), &notes);
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(wanted));
    reading_release(&r);
    mem_free(text);
    return notes;
}

TEST(what_falcon_cannot_hold_is_counted)
{
    struct notes n = check_written("T r x value=5 hlc=1,2; T acq m mode=read; T barrier-enter b;"
                                   "T wait c lock=m; T woken c lock=m; T snd a>b; T snd socket7",
                                   HEADER "T r x time=1; T acq m time=2; T woken c time=3;"
                                          "T snd a:0>b:0 mode=udp text=a-b size=0 time=4;"
                                          "T snd size=0 time=5");
    CHECK_INT(noted(&n, "Falcon cannot hold events of kind barrier-enter: left out"), 1);
    CHECK_INT(noted(&n, "Falcon cannot hold events of kind wait-begin: left out"), 1);
    CHECK_INT(noted(&n, "Falcon cannot hold the event's value"), 1);
    CHECK_INT(noted(&n, "Falcon cannot hold the event's hybrid logical clock"), 1);
    CHECK_INT(noted(&n, "Falcon cannot hold the event's mode"), 1);
    CHECK_INT(noted(&n, "Falcon cannot hold the event's text"), 1);
    CHECK_INT(noted(&n, "Falcon cannot hold the event's object"), 1);
    CHECK_INT(n.list.count, 7);
    notes_release(&n);
}

TEST(times_are_written_in_milliseconds)
{
    struct notes n = check_written("tick 1000; T r time=5000; T r time=5001; T r time=-1",
                                   HEADER "T r time=5; T r time=5; T r time=-1");
    CHECK_INT(noted(&n, "Falcon cannot hold part of a time below a millisecond"), 2);
    CHECK_INT(n.list.count, 1);
    notes_release(&n);
    n = check_written("tick 1000000000; T r time=5; T r time=9223372036854775807",
                      HEADER "T r time=5000; T r time=5001");
    CHECK_INT(noted(&n, "Falcon cannot hold the event's time"), 1);
    notes_release(&n);
    n = check_written("T r time=5", HEADER "T r time=5");
    CHECK_INT(n.list.count, 0);
    notes_release(&n);
}

static void check_times(const char *trace, const char *wanted, uint64_t moved_count)
{
    char with_header[1024];
    (void)snprintf(with_header, sizeof with_header, HEADER "%s", wanted);
    struct notes n = check_written(trace, with_header);
    CHECK_INT(noted(&n, "Falcon cannot hold the event's time"), moved_count);
    CHECK_INT(n.list.count, moved_count > 0);
    notes_release(&n);
}

TEST(events_without_a_time_get_one_that_keeps_their_order)
{
    check_times("T w x; U r x; T w x", "T w x time=1; U r x time=2; T w x time=3", 0);
    /* Between two times there is room ... */
    check_times("tick 1000000; T w x time=100; U r x; U w x; T w x time=200; U r x",
                "T w x time=100; U r x time=101; U w x time=102; T w x time=200; U r x time=201",
                0);
    /* ... or not enough of it. */
    check_times("tick 1000000; T w x; T w x; U r x time=1; U r x; U w x; T w x time=2; T r x",
                "T w x time=1; T w x time=1; U r x time=1; U r x time=2; U w x time=2;"
                "T w x time=2; T r x time=3",
                0);
    check_times("tick 1000000; T w x; T w x time=-5", "T w x time=-5; T w x time=-5", 0);
}

TEST(where_the_logs_of_nodes_follow_each_other_each_keeps_its_clock)
{
    check_times("tick 1000000; T@a w x time=100; T@a r x; T@b r y; T@b w y time=50; T@b r y;"
                "T@a r x time=101",
                "T@a w x time=100; T@a r x time=100; T@b r y time=50; T@b w y time=50;"
                "T@b r y time=51; T@a r x time=101",
                0);
    /* The clock of b is behind that of a, which shows only when b's event has its time. */
    check_times("tick 1000000; T@a w x time=100; T@b r y; T@a r x time=110; T@b w y time=40",
                "T@a w x time=100; T@b r y time=101; T@a r x time=110; T@b w y time=101", 1);
}

TEST(more_events_than_can_wait_share_the_last_time)
{
    struct trace t;
    trace_init(&t);
    t.tables.tick_ns = FALCON_TICK_NS;
    const uint32_t task = tables_task_text(&t.tables, "T", 1);
    struct event e = {.kind = EVENT_READ, .task = task, .time = 7, .has = HAS_TIME};
    trace_append(&t, &e);
    e.has = 0;
    for (int i = 0; i < (1 << 16) + 10; i++) {
        trace_append(&t, &e);
    }
    e.has = HAS_TIME;
    e.time = 9;
    trace_append(&t, &e);
    struct notes n = {0};
    char *text = written(&format_falcon, &t, &n);
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, t.events.count);
    int64_t last = 7;
    vec_each (&r.trace.events, event) {
        CHECK((event->has & HAS_TIME) != 0);
        CHECK(event->time >= last);
        last = event->time;
    }
    CHECK_INT(last, 9);
    CHECK_INT(n.list.count, 0);
    reading_release(&r);
    mem_free(text);
    notes_release(&n);
    trace_release(&t);
}

TEST(messages_are_written_with_all_that_spider_requires)
{
    struct notes n = {0};
    char *text =
        written(&format_falcon, trace_of("T snd b>a msg=1; U rcv b>a msg=1; T log text=x"), &n);
    CHECK_TEXT(text, "{\"thread\":\"T\",\"type\":\"SND\",\"timestamp\":1,\"size\":0,\"src\":\"b\","
                     "\"src_port\":0,\"dst\":\"a\",\"dst_port\":0,\"socket_type\":\"UDP\","
                     "\"socket\":\"a-b\",\"message\":\"1\"}\n"
                     "{\"thread\":\"U\",\"type\":\"RCV\",\"timestamp\":2,\"size\":0,\"src\":\"b\","
                     "\"src_port\":0,\"dst\":\"a\",\"dst_port\":0,\"socket_type\":\"UDP\","
                     "\"socket\":\"a-b\",\"message\":\"1\"}\n"
                     "{\"thread\":\"T\",\"type\":\"LOG\",\"timestamp\":3,\"message\":\"x\"}\n");
    mem_free(text);
    /* What comes from Falcon stays as it is. */
    text = written(&format_falcon, trace_of(HEADER "T snd b>a msg=1 time=7"), &n);
    CHECK_TEXT(text, "{\"thread\":\"T\",\"type\":\"SND\",\"timestamp\":7,\"src\":\"b\","
                     "\"dst\":\"a\",\"message\":\"1\"}\n");
    mem_free(text);
    notes_release(&n);
}

TEST(tasks_are_written_so_that_they_split_again)
{
    struct trace t;
    trace_init(&t);
    struct names *names = &t.tables.names;
    const uint32_t name = names_intern_text(names, "a@b");
    const uint32_t node = names_intern_text(names, "c@d");
    (void)tables_task(&t.tables, 0, name);
    (void)tables_task(&t.tables, node, 0);
    (void)tables_task(&t.tables, 0, 0);
    for (uint32_t task = 0; task < 3; task++) {
        trace_append(&t, &(struct event){.kind = EVENT_THREAD_START, .task = task});
    }
    struct notes n = {0};
    char *text = written(&format_falcon, &t, &n);
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    const struct task *tasks = r.trace.tables.tasks.at;
    CHECK_TEXT(trace_name(&r.trace, tasks[0].name), "a@b");
    CHECK_INT(tasks[0].node, 0);
    CHECK_TEXT(trace_name(&r.trace, tasks[1].name), "");
    CHECK_TEXT(trace_name(&r.trace, tasks[1].node), "c%40d");
    CHECK_INT(tasks[2].name, 0);
    CHECK_INT(noted(&n, "Falcon cannot hold some bytes of a name"), 1);
    reading_release(&r);
    mem_free(text);
    notes_release(&n);
    trace_release(&t);
}

TEST(names_that_are_not_utf8_are_written_so_and_counted)
{
    struct trace t;
    trace_init(&t);
    const uint32_t task = tables_task_text(&t.tables, "T", 1);
    const uint32_t name = names_intern(&t.tables.names, "a\xff\0z", 4);
    trace_append(&t, &(struct event){.kind = EVENT_READ, .task = task, .object = name});
    struct notes n = {0};
    char *text = written(&format_falcon, &t, &n);
    CHECK_TEXT(text, "{\"thread\":\"T\",\"type\":\"R\",\"timestamp\":1,"
                     "\"variable\":\"a\xef\xbf\xbd\\u0000z\"}\n");
    CHECK_INT(noted(&n, "Falcon cannot hold bytes of a name that are not UTF-8"), 1);
    mem_free(text);
    notes_release(&n);
    trace_release(&t);
}
