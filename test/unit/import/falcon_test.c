#include "import/falcon.h"

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
                                   HEADER "T r x; T acq m; T woken c; T snd a>b; T snd");
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
                      HEADER "T r time=5000; T r");
    CHECK_INT(noted(&n, "Falcon cannot hold the event's time"), 1);
    notes_release(&n);
    n = check_written("T r time=5", HEADER "T r time=5");
    CHECK_INT(n.list.count, 0);
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
    CHECK_TEXT(text, "{\"thread\":\"T\",\"type\":\"R\",\"variable\":\"a\xef\xbf\xbd\\u0000z\"}\n");
    CHECK_INT(noted(&n, "Falcon cannot hold bytes of a name that are not UTF-8"), 1);
    mem_free(text);
    notes_release(&n);
    trace_release(&t);
}
