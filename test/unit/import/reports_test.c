#include "import/reports.h"

#include <stdlib.h>

#include "fault.h"
#include "fuzz.h"
#include "import/import.h"
#include "mutate.h"
#include "pipe.h"
#include "reading.h"
#include "test.h"
#include "trace_of.h"

FUZZ_DECLARE(reports_json);
FUZZ_DECLARE(reports_csv);

#define HEADER "order node; source reports;"

static void check_reads(const char *text, const char *wanted)
{
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(wanted));
    reading_release(&r);
}

TEST(every_event_of_a_json_report_becomes_its_kind)
{
    check_reads("{\"process\":\"a\",\"seq\":0,\"pt_ms\":1,\"event\":\"hello\"}\n"
                "{\"process\":\"a\",\"seq\":1,\"pt_ms\":1,\"name\":\"x\",\"value\":-7}\n"
                "{\"process\":\"a\",\"seq\":2,\"pt_ms\":2,\"event\":\"set\",\"name\":\"x\","
                "\"value\":true}\n"
                "{\"process\":\"a\",\"seq\":3,\"pt_ms\":3,\"event\":\"send\",\"name\":\"m\"}\n"
                "{\"process\":\"b\",\"pt_ms\":4,\"event\":\"recv\",\"name\":\"m\"}\n"
                "{\"process\":\"b\",\"pt_ms\":5,\"event\":\"unset\",\"name\":\"x\"}\n"
                "{\"process\":\"b\",\"pt_ms\":6,\"event\":\"alive\"}\n",
                HEADER "tick 1000000; main@a process-start count=0 time=1;"
                       "main@a var x value=-7 count=1 time=1; main@a var x value=1 count=2 time=2;"
                       "main@a send msg=m mode=udp count=3 time=3;"
                       "main@b recv msg=m mode=udp time=4; main@b variable-delete x time=5;"
                       "main@b log time=6");
}

TEST(rows_of_csv_say_the_same_in_any_order_of_columns)
{
    check_reads("value,pt_us,name,other,process\n"
                "1,10,x,z,a\n"
                "\"2\",11,\"x,\"\"y\",,\"b\"\n",
                HEADER "tick 1000; main@a var x value=1 time=10;"
                       "main@b var x,\"y value=2 time=11");
}

TEST(stamps_of_hybrid_clocks_are_kept)
{
    struct reading r = read_text("process,pt,l,c,name,value\na,5,7,3,x,1\n");
    CHECK_INT(r.trace.events.count, 1);
    CHECK_INT(r.trace.events.at[0].hlc_time, 7);
    CHECK_INT(r.trace.events.at[0].hlc_count, 3);
    CHECK_INT(r.trace.tables.tick_ns, 0);
    reading_release(&r);
}

TEST(what_is_of_the_wrong_type_is_left_out_and_noted)
{
    struct reading r = read_text("process,seq,pt,l,c,name,value\n"
                                 "a,one,1.5,z,1,x,many\n"
                                 "a,two,now,5,-1,x,1e3\n");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 2);
    CHECK_INT(r.trace.events.at[0].has, 0);
    CHECK_INT(r.trace.events.at[1].has, 0);
    CHECK_INT(noted(&r.notes, "a value that is no whole number"), 2);
    CHECK_INT(noted(&r.notes, "a time that is no whole number"), 2);
    CHECK_INT(noted(&r.notes, "a sequence number that is no whole number"), 2);
    CHECK_INT(noted(&r.notes, "a hybrid time"), 1);
    CHECK_INT(noted(&r.notes, "a counter of a hybrid clock"), 1);
    CHECK_TEXT(r.notes.list.at[0].place, "memory: line 2");
    reading_release(&r);
}

static void check_wrong(const char *text, const char *message)
{
    check_refused(text, strlen(text), message);
}

TEST(what_is_no_report_is_refused_with_its_place)
{
    check_wrong("process,name,value\na,x,1\na,x,1,2\n",
                "byte 25: line 3 has more columns than there are headings");
    check_wrong("process,name,value\na,\"x,1\n", "byte 19: line 2 has a quote that does not end");
    check_wrong("process,event,name\na,sent,m\n",
                "byte 19: line 2 has the event \"sent\": known are set, unset, send, recv, hello "
                "and alive");
    check_wrong("process,event,name\na,send,\n",
                "byte 19: line 2 does not name its message (\"name\")");
    check_wrong("process,name,value\na,,1\n",
                "byte 19: line 2 does not name its variable (\"name\")");
    check_wrong("process,name,value\n,x,1\n",
                "byte 19: line 2 does not say whose report it is (\"process\")");
    check_wrong("process,name,value\n", "byte 19: the input ends without a report in it");
    check_wrong("process,name,value\na,\xff,1\n", "byte 19: line 2 is not UTF-8");
    check_wrong("{\"process\":\"a\",\"pt_ms\":1,\"name\":\"x\",\"value\":1}\n"
                "{\"process\":\"a\",\"pt_us\":1,\"name\":\"x\",\"value\":1}\n",
                "byte 47: line 2 has its time in another unit than the first");
    check_wrong("{\"process\":\"a\",\"name\":\"x\",\"value\":1}\n[1]\n",
                "byte 38: line 2 is not a JSON object");
    check_wrong("{\"process\":\"a\",\"name\":\"x\",\"value\":1}\n{\"process\n",
                "byte 46: line 2 is not a JSON object");
}

TEST(the_reader_of_json_reports_survives_any_bytes)
{
    mutate_entry("reports_json", fuzz_reports_json);
}

TEST(the_reader_of_csv_reports_survives_any_bytes)
{
    mutate_entry("reports_csv", fuzz_reports_csv);
}

static const char text_in_pieces[] = "process,pt,name,value\na,1,x,1\nb,2,\"x y\",2\na,3,x,3\n";

static void write_slowly(int fd, const void *context)
{
    const char *text = context;
    for (size_t size = strlen(text), piece = 1; size > 0; piece = piece % 7 + 1) {
        const ssize_t done = write(fd, text, piece < size ? piece : size);
        must(done > 0);
        text += done;
        size -= (size_t)done;
    }
}

TEST(reports_may_come_in_pieces)
{
    struct pipe_source source = pipe_from(write_slowly, text_in_pieces);
    struct reading got = read_path(source.path);
    struct reading wanted = read_text(text_in_pieces);
    CHECK_TEXT(got.error.text, "");
    check_same_trace(&got.trace, &wanted.trace);
    reading_release(&wanted);
    reading_release(&got);
    pipe_end(&source);
}

static int read_once(void *context)
{
    struct trace t;
    struct notes n = {0};
    struct err e = {0};
    trace_init(&t);
    struct cursor *c = format_open(import_formats, NULL, context, &t.tables, &n, &e);
    const int result = c == NULL ? -1 : trace_load(&t, c, &e);
    cursor_close(c);
    notes_release(&n);
    trace_release(&t);
    return result < 0 ? fault_told(&e) : 0;
}

static uint64_t sweep(const char *file)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/test/fuzz/corpus/%s", getenv("CLEW_SOURCE"), file);
    return fault_sweep(&(struct fault_sweep){.run = read_once, .context = path});
}

TEST(every_call_of_reading_reports_may_fail)
{
    CHECK(sweep("reports_json/all.jsonl") > 10);
    CHECK(sweep("reports_csv/all.csv") > 10);
}
