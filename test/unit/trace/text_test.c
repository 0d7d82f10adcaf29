#include <unistd.h>

#include "base/mem.h"
#include "fault.h"
#include "formats.h"
#include "scratch.h"
#include "test.h"
#include "trace/quoted_word.h"
#include "trace_of.h"
#include "wire/kind.h"

static void check_printed(const struct trace *t, const char *wanted)
{
    size_t size = 0;
    char *text = format_print(&format_text, t, &size);
    CHECK_TEXT(text, wanted);
    struct trace again;
    struct notes n = {0};
    struct err e;
    trace_init(&again);
    CHECK_INT(format_parse(&format_text, text, size, &again, &n, &e), 0);
    check_same_trace(&again, t);
    trace_release(&again);
    mem_free(text);
}

TEST(an_event_is_a_line)
{
    check_printed(
        trace_of("tick 1000000; source falcon; "
                 "main@10.0.0.1 w demos.counter @demos.Example1.main.7 time=1525270021837; "
                 "main@n fork Thread-1@n; "
                 "main@n snd 10.0.0.2:10000>10.0.0.1:49152 mode=udp msg=1935800733 size=96 text=s; "
                 "main var x value=-1 hlc=-3,4 count=0"),
        "clew-text 1 order=node tick=1000000 source=falcon\n"
        "main@10.0.0.1 write demos.counter @demos.Example1.main.7 t=1525270021837\n"
        "main@n thread-create Thread-1@n\n"
        "main@n send 10.0.0.2:10000>10.0.0.1:49152 mode=udp msg=1935800733 size=96 text=s\n"
        "main variable x value=-1 count=0 hlc=-3,4\n");
    check_printed(trace_of("order stamped"), "clew-text 1 order=stamped\n");
}

TEST(what_is_not_told_by_its_place_has_a_key)
{
    struct trace t;
    trace_init(&t);
    const uint32_t task = tables_task_text(&t.tables, "a@n", 3);
    const uint32_t name = names_intern_text(&t.tables.names, "x");
    trace_append(&t, &(struct event){.kind = EVENT_THREAD_CREATE, .task = task, .object = name});
    trace_append(&t, &(struct event){.kind = EVENT_THREAD_CREATE, .task = task, .message = name});
    trace_append(&t,
                 &(struct event){.kind = EVENT_WRITE, .task = task, .has = HAS_PEER, .peer = task});
    trace_seal(&t);
    check_printed(&t, "clew-text 1 order=node\n"
                      "a@n thread-create object=x\n"
                      "a@n thread-create msg=x\n"
                      "a@n write peer=a@n\n");
    trace_release(&t);
}

TEST(odd_names_stand_in_quotes)
{
    struct trace t;
    trace_init(&t);
    struct names *names = &t.tables.names;
    struct event e = {.kind = EVENT_LOG};
    e.task = tables_task(&t.tables, names_intern_text(names, "a@b"), 0);
    e.text = names_intern(names, "\"\\\n\r\t\0\x7f\xff\xc3\xa9", 10);
    e.object = names_intern_text(names, "t=5");
    e.location = names_intern_text(names, "na\xc3\xafve");
    trace_append(&t, &e);
    e = (struct event){.kind = EVENT_LOG, .task = tables_task(&t.tables, 0, 0)};
    trace_append(&t, &e);
    trace_seal(&t);
    check_printed(&t, "clew-text 1 order=node\n"
                      "\"\"@\"a@b\" log \"t=5\" @na\xc3\xafve "
                      "text=\"\\\"\\\\\\n\\r\\t\\x00\\x7f\\xff\xc3\xa9\"\n"
                      "\"\" log\n");
    trace_release(&t);
}

TEST(every_trace_comes_back_the_same)
{
    struct prng prng;
    prng_init(&prng, 6);
    for (size_t count = 0; count < 12; count++) {
        struct trace t;
        trace_init(&t);
        trace_randomize(&t, count * count * count * 3, &prng);
        trace_seal(&t);
        size_t size = 0;
        char *text = format_print(&format_text, &t, &size);
        struct trace again;
        struct notes n = {0};
        struct err e;
        trace_init(&again);
        CHECK_INT(format_parse(&format_text, text, size, &again, &n, &e), 0);
        check_same_trace(&again, &t);
        trace_release(&again);
        mem_free(text);
        trace_release(&t);
    }
}

/* Reads text; the trace is the caller's to release. */
static int read_text(const char *text, struct trace *t, struct err *e)
{
    struct notes n = {0};
    trace_init(t);
    const int result = format_parse(&format_text, text, strlen(text), t, &n, e);
    notes_release(&n);
    return result;
}

TEST(blanks_comments_and_a_missing_last_end_are_fine)
{
    struct trace t;
    struct err e;
    CHECK_INT(
        read_text("clew-text 1 # version\r\n\n  # nothing\n\t main \t read x # why\r\nb write y",
                  &t, &e),
        0);
    check_same_trace(&t, trace_of("main r x; b w y"));
    trace_release(&t);
}

static size_t note_count_of(const char *text)
{
    struct notes n = {0};
    struct trace t;
    struct err e;
    trace_init(&t);
    CHECK_INT(format_parse(&format_text, text, strlen(text), &t, &n, &e), 0);
    const size_t count = n.list.count;
    notes_release(&n);
    trace_release(&t);
    return count;
}

TEST(a_last_event_without_end_of_line_is_noted)
{
    CHECK_INT(note_count_of("clew-text 1\na read x\nb write y"), 1);
    CHECK_INT(note_count_of("clew-text 1\na read x\nb write y\n"), 0);
    CHECK_INT(note_count_of("clew-text 1\na read x\n# so far"), 0);
}

TEST(what_is_wrong_is_named_with_line_and_byte)
{
#define HEAD "clew-text 1\nmain read x\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "byte 0: line 1: does not begin with \"clew-text 1\""},
        {"clew-texts 1\n", "byte 0: line 1: does not begin with \"clew-text 1\""},
        {"clew-text 2\n", "byte 11: line 1: this clew reads version 1 of the text form only"},
        {"clew-text x\n", "byte 10: line 1: a number was expected"},
        {"clew-text 1 order=odd\n", "byte 18: line 1: there is no order called \"odd\""},
        {"clew-text 1 color=red\n",
         "byte 12: line 1: there is no field of the first line called \"color\""},
        {"clew-text 1 order\n",
         "byte 17: line 1: the first line goes on with order=, tick= or source="},
        {"clew-text 1 tick=-1\n", "byte 17: line 1: a number was expected"},
        {"clew-text 1 order=node,\n", "byte 18: line 1: there is no order called \"node,\""},
        {HEAD "main\n", "byte 28: line 3: the kind of the event is missing"},
        {HEAD "main wirte x\n", "byte 29: line 3: there is no kind of event called \"wirte\""},
        {HEAD "main@ write x\n",
         "byte 29: line 3: a name was expected (odd characters go in quotes)"},
        {HEAD "@n write x\n", "byte 24: line 3: a name was expected (odd characters go in quotes)"},
        {HEAD "m write x y\n",
         "byte 34: line 3: this field is there twice (or both msg and peer are)"},
        {HEAD "m send c msg=1 peer=m\n",
         "byte 39: line 3: this field is there twice (or both msg and peer are)"},
        {HEAD "m write x color=red\n",
         "byte 34: line 3: there is no field of this name; the fields "
         "are object peer mode msg value size count text t hlc"},
        {HEAD "m write color=red\n", "byte 37: line 3: there is no field of this name; the fields "
                                     "are object peer mode msg value size count text t hlc"},
        {HEAD "m send c message=7\n", "byte 33: line 3: there is no field of this name; the fields "
                                      "are object peer mode msg value size count text t hlc"},
        {HEAD "m send c object=d\n",
         "byte 33: line 3: this field is there twice (or both msg and peer are)"},
        {HEAD "m write a@b\n",
         "byte 33: line 3: a blank was expected (odd characters go in quotes)"},
        {HEAD "m write x size=-1\n", "byte 39: line 3: a number was expected"},
        {HEAD "m write x size=18446744073709551616\n",
         "byte 58: line 3: the number is out of range"},
        {HEAD "m write x value=9223372036854775808\n",
         "byte 59: line 3: the number is out of range"},
        {HEAD "m write x count=4294967296\n", "byte 50: line 3: the number is out of range"},
        {HEAD "m write x hlc=5\n", "byte 39: line 3: a hybrid logical clock is written TIME,COUNT"},
        {HEAD "m write x mode=udp\n",
         "byte 39: line 3: there is no such mode of this kind: \"udp\""},
        {HEAD "m write \"x\n", "byte 34: line 3: the quotes are not closed on this line"},
        {HEAD "m write \"\\q\"\n",
         "byte 34: line 3: no such escape (there are \\\" \\\\ \\n \\r \\t "
         "and \\x00 to \\xff)"},
        {HEAD "m write \"\\x0G\"\n", "byte 34: line 3: no such escape (there are \\\" \\\\ \\n \\r "
                                     "\\t and \\x00 to \\xff)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace t;
        struct err e = {.text = ""};
        CHECK_INT(read_text(cases[i].text, &t, &e), -1);
        CHECK_TEXT(e.text, cases[i].message);
        trace_release(&t);
    }
}

TEST(a_line_without_end_or_a_huge_name_is_refused)
{
    const size_t size = 40 << 20;
    char *text = mem_resize(NULL, size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    memcpy(text, "clew-text 1\n", 12);
    struct trace t;
    struct err e;
    CHECK_INT(read_text(text, &t, &e), -1);
    CHECK_TEXT(e.text, "byte 12: line 2 is longer than 34603008 bytes");
    trace_release(&t);
    text[2 << 20] = '\n';
    CHECK_INT(read_text(text, &t, &e), -1);
    CHECK_TEXT(e.text, "byte 2097152: line 2: a name of more than a mebibyte");
    trace_release(&t);
    text[12] = '"';
    CHECK_INT(read_text(text, &t, &e), -1);
    CHECK_TEXT(e.text, "byte 1048589: line 2: a name of more than a mebibyte");
    trace_release(&t);
    mem_free(text);
}

TEST(any_bytes_come_back_as_a_word)
{
    struct prng prng;
    prng_init(&prng, 7);
    struct words w = {0};
    for (int i = 0; i < 20000; i++) {
        char bytes[12];
        const size_t size = (size_t)prng_below(&prng, sizeof bytes);
        for (size_t k = 0; k < size; k++) {
            bytes[k] = (char)prng_below(&prng, 256);
        }
        struct out out;
        out_open_memory(&out);
        word_print(&out, bytes, size);
        w.at = out.buffer;
        w.end = out.buffer + out.used;
        struct word word;
        CHECK(words_take(&w, &word));
        CHECK(w.at == w.end);
        CHECK_INT(word.size, size);
        CHECK(size == 0 || memcmp(word.text, bytes, size) == 0);
        out_abandon(&out);
    }
    words_release(&w);
}

static int convert(void *context)
{
    const char *const *paths = context;
    const struct format *const formats[] = {&format_text, NULL};
    struct tables t;
    struct notes n = {0};
    struct err e;
    tables_init(&t);
    struct cursor *c = format_open(formats, NULL, paths[0], &t, &n, &e);
    struct out out;
    struct batch b;
    int result = c == NULL ? -1 : out_open(&out, paths[1], &e);
    if (result == 0) {
        struct writer *w = format_text.create(&out, &t, &n);
        while ((result = cursor_next(c, &b, &e)) > 0 &&
               writer_write(w, b.events, b.count, &e) == 0) {
        }
        if (result == 0) {
            result = writer_close(w, &e);
        } else {
            result = -1;
            writer_abandon(w);
        }
    }
    cursor_close(c);
    notes_release(&n);
    tables_release(&t);
    return result < 0 ? fault_told(&e) : 0;
}

static bool is_whole_or_absent(void *context, int status)
{
    const char *const *paths = context;
    char *original = scratch_read(paths[0], NULL);
    char *copy = scratch_read(paths[1], NULL);
    const bool is_right = status == 2 ? copy == NULL : copy != NULL && strcmp(copy, original) == 0;
    mem_free(original);
    mem_free(copy);
    (void)unlink(paths[1]);
    return is_right;
}

TEST(every_call_of_reader_and_writer_fails_once)
{
    const char text[] = "clew-text 1 order=exact\nmain@n write \"a b\" size=4\nmain@n read x\n";
    const char *paths[] = {scratch_write("in.txt", text, sizeof text - 1), scratch_path("out.txt")};
    CHECK(fault_sweep(&(struct fault_sweep){convert, paths, is_whole_or_absent}) > 20);
}
