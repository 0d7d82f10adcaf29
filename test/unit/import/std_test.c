#include "import/rapid_std.h"

#include "pipe.h"
#include "reading.h"
#include "test.h"
#include "trace_of.h"

#define HEADER "order exact; source std;"

static void check_reads(const char *text, const char *wanted)
{
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(wanted));
    reading_release(&r);
}

static void check_wrong(const char *text, const char *message)
{
    check_refused(text, strlen(text), message);
}

TEST(every_operation_becomes_its_kind)
{
    check_reads("T0|fork(T1)|123\n"
                "T1|acq(L34)|120\n"
                "T1|r(V123)|345\n"
                "T1|w(V234.23[0])|Main.java:7\n"
                "T1|rel(L34)|130\n"
                "T0|begin|1\n"
                "T0|end(5)|2\n"
                "T0|join(T1)|134\n",
                HEADER "T0 fork T1 @123; T1 acq L34 @120; T1 r V123 @345;"
                       "T1 w V234.23[0] @Main.java:7; T1 rel L34 @130; T0 atomic-begin @1;"
                       "T0 atomic-end 5 @2; T0 join T1 @134");
}

TEST(a_location_of_0_is_none)
{
    check_reads("T0|w(x)|0\nT0|w(x)|\nT0|w(x)|00\n", HEADER "T0 w x; T0 w x; T0 w x @00");
}

TEST(lines_may_end_in_any_way)
{
    check_reads("\nT0|w(x)|1\r\n\r\nT1|r(x)|2", HEADER "T0 w x @1; T1 r x @2");
}

static void check_note_count(const char *text, size_t count)
{
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.notes.list.count, count);
    if (count > 0) {
        CHECK_TEXT(r.notes.list.at[0].text, "the last line has no end: the file may be cut short");
        CHECK_TEXT(r.notes.list.at[0].place, "memory: byte 10");
    }
    reading_release(&r);
}

TEST(a_last_line_without_end_is_taken_and_noted)
{
    check_note_count("T0|w(x)|1\nT1|r(x)|2", 1);
    check_note_count("T0|w(x)|1\nT1|r(x)|2\n", 0);
    check_wrong("T0|w(x)|1\nT1|r(x", "byte 10: the line \"T1|r(x\" is not of the form "
                                     "thread|operation(operand)|location");
}

TEST(names_may_be_long_and_look_alike)
{
    check_reads("thread-number-one@10.0.0.1|w(a_variable_with_a_long_name_1)|in/a/long/file.c:1\n"
                "thread-number-two@10.0.0.1|w(a_variable_with_a_long_name_2)|in/a/long/file.c:2\n"
                "thread-number-one@10.0.0.1|r(a_variable_with-a_long_name_1)|in/a/long/file.c:1\n"
                "thread-number-one|w(f(x))|1\n",
                HEADER "thread-number-one@10.0.0.1 w a_variable_with_a_long_name_1 "
                       "@in/a/long/file.c:1;"
                       "thread-number-two@10.0.0.1 w a_variable_with_a_long_name_2 "
                       "@in/a/long/file.c:2;"
                       "thread-number-one@10.0.0.1 r a_variable_with-a_long_name_1 "
                       "@in/a/long/file.c:1;"
                       "thread-number-one w f(x) @1");
}

TEST(offsets_are_those_of_the_lines)
{
    struct reading r = read_text("\nT0|w(x)|1\nT0|branch|2\nT1|r(x)|2\n");
    CHECK_INT(r.offsets.count, 2);
    CHECK_INT(r.offsets.at[0], 1);
    CHECK_INT(r.offsets.at[1], 23);
    reading_release(&r);
}

TEST(operations_for_other_analyses_are_counted)
{
    struct reading r =
        read_text("T0|w(x)|1\nT0|branch|2\nT0|req(L1)|2\nT0|enter(f)|2\nT0|exit(f)|2\nT0|dummy|1");
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 1);
    CHECK_INT(noted(&r.notes, "operations for other analyses"), 5);
    CHECK_TEXT(r.notes.list.at[0].place, "memory: byte 10");
    reading_release(&r);
}

TEST(lines_must_be_of_the_form)
{
    check_wrong("T0|w(x)|1\nnonsense\n", "byte 10: the line \"nonsense\" is not of the form "
                                         "thread|operation(operand)|location");
    check_wrong("T0|w(x)|1\n|w(x)|1\n", "byte 10: the line \"|w(x)|1\" is not of the form "
                                        "thread|operation(operand)|location");
    check_wrong("T0|w(x)|1\nT0|w(x)\n", "byte 10: the line \"T0|w(x)\" is not of the form "
                                        "thread|operation(operand)|location");
    check_wrong("T0|w(x)|1\nT0|ww(x)|1\n",
                "byte 10: the line \"T0|ww(x)|1\" has no operation of RAPID STD");
    check_wrong("T0|w(x)|1\nT0|w(x|1\n",
                "byte 10: the line \"T0|w(x|1\" lacks the ) behind its operand");
    check_wrong("T0|w(x)|1\nT0|w(|1\n",
                "byte 10: the line \"T0|w(|1\" lacks the ) behind its operand");
    check_wrong("T0|w(x)|1\nT0|w()|1\n", "byte 10: the line \"T0|w()|1\" lacks its operand");
    check_wrong("T0|w(x)|1\nT0|fork|1\n", "byte 10: the line \"T0|fork|1\" lacks its operand");
    check_wrong("T0|w(\xff)|1\n", "byte 0: the line \"T0|w(?)|1\" is not UTF-8");
    check_wrong("T0|branch|1\n", "byte 12: the input ends without an event in it");
    check_wrong("T0|w(x)|1\n\n[{\"a\":\"T\"}]\n",
                "byte 11: the RAPID STD trace goes on in JSON; formats cannot be mixed");
}

/* A child writes the lines in pieces of random size. */
static void write_in_pieces(int fd, const void *context)
{
    const char *text = context;
    size_t size = strlen(text);
    for (size_t piece = 1; size > 0; piece = piece % 7 + 1) {
        const ssize_t done = write(fd, text, piece < size ? piece : size);
        must(done > 0);
        text += done;
        size -= (size_t)done;
    }
}

TEST(pieces_of_a_pipe_make_the_same_events)
{
    const char *text = "T0|fork(T1)|1\nT1|w(x)|2\nT1|w(y)|33333333333333\n\nT0|join(T1)|4";
    struct pipe_source source = pipe_from(write_in_pieces, text);
    struct reading got = read_path(source.path);
    struct reading wanted = read_text(text);
    CHECK_TEXT(got.error.text, "");
    check_same_trace(&got.trace, &wanted.trace);
    for (size_t i = 0; i < wanted.offsets.count; i++) {
        CHECK_INT(got.offsets.at[i], wanted.offsets.at[i]);
    }
    reading_release(&wanted);
    reading_release(&got);
    pipe_end(&source);
}

TEST(a_line_without_end_is_not_read_to_its_end)
{
    enum { SIZE = 3 << 20 };
    char *text = mem_resize(NULL, SIZE);
    memset(text, 'a', SIZE);
    memcpy(text, "T0|w(x)|1\nT0|w(", 15);
    check_refused(text, SIZE, "byte 10: a line of more than 1048576 bytes");
    text[SIZE / 6] = '\n';
    check_refused(text, SIZE,
                  "byte 10: the line \"T0|w(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\" is "
                  "not of the form thread|operation(operand)|location");
    mem_free(text);
}

TEST(many_events_come_in_batches)
{
    struct out text;
    out_open_memory(&text);
    for (int i = 0; i < 100000; i++) {
        out_format(&text, "T%d|w(V%d)|%d\n", i % 7, i % 5000, i % 20011 + 1);
    }
    struct reading r = read_bytes(text.buffer, text.used);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 100000);
    for (uint32_t i = 0; i < 100000; i++) {
        char wanted[32];
        const struct event *e = trace_at(&r.trace, i);
        (void)snprintf(wanted, sizeof wanted, "T%u", i % 7);
        CHECK_TEXT(trace_name(&r.trace, r.trace.tables.tasks.at[e->task].name), wanted);
        (void)snprintf(wanted, sizeof wanted, "V%u", i % 5000);
        CHECK_TEXT(trace_name(&r.trace, e->object), wanted);
        (void)snprintf(wanted, sizeof wanted, "%u", i % 20011 + 1);
        CHECK_TEXT(trace_name(&r.trace, e->location), wanted);
    }
    reading_release(&r);
    out_abandon(&text);
}

TEST(what_is_written_reads_back_and_the_rest_is_counted)
{
    struct notes n = {0};
    char *text = written(&format_std,
                         trace_of("order exact; T0 fork T1@n @1; T1@n w x @a.c:7 size=4 time=1;"
                                  "T1@n w a|b; T0 acq m mode=read; T0 snd a>b; T0 w; T0 fork;"
                                  "T0 atomic-begin; T0 atomic-end r; T0 join T1@n; T0 log text=a"),
                         &n);
    CHECK_TEXT(text, "T0|fork(T1@n)|1\n"
                     "T1@n|w(x)|a.c:7\n"
                     "T1@n|w(a%7Cb)|0\n"
                     "T0|acq(m)|0\n"
                     "T0|begin|0\n"
                     "T0|end(r)|0\n"
                     "T0|join(T1@n)|0\n");
    CHECK_INT(noted(&n, "RAPID STD cannot hold events of kind send: left out"), 1);
    CHECK_INT(noted(&n, "RAPID STD cannot hold events of kind log: left out"), 1);
    CHECK_INT(noted(&n, "RAPID STD cannot hold an event without its object or peer"), 2);
    CHECK_INT(noted(&n, "RAPID STD cannot hold the event's size"), 1);
    CHECK_INT(noted(&n, "RAPID STD cannot hold the event's time"), 1);
    CHECK_INT(noted(&n, "RAPID STD cannot hold the event's mode"), 1);
    CHECK_INT(noted(&n, "RAPID STD cannot hold some bytes of a name"), 1);
    CHECK_INT(n.list.count, 7);
    check_reads(text, HEADER "T0 fork T1@n @1; T1@n w x @a.c:7; T1@n w a%7Cb; T0 acq m;"
                             "T0 atomic-begin; T0 atomic-end r; T0 join T1@n");
    mem_free(text);
    notes_release(&n);
}

TEST(an_operand_is_of_the_kind_that_its_operation_needs)
{
    struct trace t;
    trace_init(&t);
    const uint32_t task = tables_task_text(&t.tables, "T", 1);
    const uint32_t name = names_intern_text(&t.tables.names, "x");
    const struct event read_of_task = {.kind = EVENT_READ, .has = HAS_PEER, .peer = task};
    const struct event fork_of_object = {.kind = EVENT_THREAD_CREATE, .object = name};
    trace_append(&t, &read_of_task);
    trace_append(&t, &fork_of_object);
    struct notes n = {0};
    char *text = written(&format_std, &t, &n);
    CHECK_TEXT(text, "");
    CHECK_INT(noted(&n, "RAPID STD cannot hold an event without its object or peer"), 2);
    mem_free(text);
    notes_release(&n);
    trace_release(&t);
}
