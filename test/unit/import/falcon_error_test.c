#include "import/json/falcon.h"

#include "base/out.h"
#include "formats.h"
#include "pipe.h"
#include "reading.h"
#include "test.h"
#include "trace_of.h"

#define GOOD "{\"thread\":\"T@n\",\"type\":\"W\",\"variable\":\"x\"}\n"

static void check_wrong(const char *text, const char *message)
{
    check_refused(text, strlen(text), message);
}

/* Where no object is an event, the first one says why the input is no Falcon trace. */
TEST(an_input_without_any_event_is_refused)
{
    check_wrong("{\"thread\":\"T\"}", "byte 0: an object without \"type\" is no Falcon event");
    check_wrong("{}", "byte 0: an object without \"type\" is no Falcon event");
    check_wrong("{\"thread\":\"T\",\"type\":[]}",
                "byte 0: an object without \"type\" is no Falcon event");
    check_wrong("{\"type\":\"R\"}", "byte 0: the event has no \"thread\"");
    check_wrong("{\"type\":\"R\",\"thread\":null}", "byte 0: the event has no \"thread\"");
    check_wrong("{\"type\":\"R\",\"thread\":\"\"}", "byte 0: the event has no \"thread\"");
    check_wrong("{\"thread\":\"T\",\"type\":\"READS\"}{\"type\":\"R\"}",
                "byte 0: \"READS\" is no type of Falcon event");
    check_wrong("{\"thread\":\"T\",\"type\":21}", "byte 0: \"21\" is no type of Falcon event");
    check_wrong("{\"thread\":\"T\",\"type\":\"\\u001b[31m"
                "a type that is much too long to be shown in a message\"}",
                "byte 0: \"?[31ma type that is much too long to be ...\" is no type of Falcon "
                "event");
}

TEST(an_input_may_not_end_in_the_middle)
{
    check_wrong(GOOD "{\"thread\":\"T\",\"ty",
                "byte 60: the input ends inside the event at byte 43");
    check_wrong("[" GOOD, "byte 44: the input ends inside the array of events");
    check_wrong("[" GOOD ",", "byte 45: the input ends inside the array of events");
}

TEST(an_input_needs_an_event)
{
    check_wrong("", "is empty, not a trace");
    check_wrong(" \n", "byte 0: not a trace in any known format (see clew convert --help)");
    check_wrong("[{\"thread\"\n", "byte 11: the input ends inside the event at byte 1");
    check_wrong("[]\n{ no",
                "byte 6: not JSON: invalid string in json text. (in the event at byte 3)");
    check_wrong("noise\n{ no", "byte 0: not a trace in any known format (see clew convert --help)");
    check_wrong("{ no", "byte 3: not JSON: invalid string in json text. (in the event at byte 0)");
    check_wrong("[]{\"thread\":7}", "byte 2: an object without \"type\" is no Falcon event");
    check_wrong("[{\"thread\":7},7,[[]],null]",
                "byte 1: an object without \"type\" is no Falcon event");
    check_wrong("a\n{\"thread\"", "byte 11: the input ends inside the event at byte 2");
}

TEST(what_begins_like_an_event_must_be_json)
{
    check_wrong(GOOD "{\"thread\":\"T\" \"type\":\"R\"}",
                "byte 59: not JSON: after key and value, inside map, I expect ',' or '}' (in the "
                "event at byte 43)");
    check_wrong(GOOD "{thread}\n",
                "byte 45: not JSON: invalid string in json text. (in the event at byte 43)");
}

TEST(bytes_that_are_no_utf8_are_no_json)
{
    check_wrong("{\"thread\":\"T\",\"type\":\"R\",\"loc\":\"\xff\"}",
                "byte 33: not JSON: invalid bytes in UTF8 string. (in the event at byte 0)");
}

TEST(formats_may_not_be_mixed)
{
    check_wrong(GOOD "T0|w(V1)|12\n",
                "byte 43: the Falcon trace goes on in RAPID STD form; formats "
                "cannot be mixed");
    check_wrong("T0|w(V1)|12\n" GOOD, "byte 0: the Falcon trace goes on in RAPID STD form; formats "
                                      "cannot be mixed");
    const struct trace *t = trace_of("T r x");
    const struct format *const others[] = {&format_text, &format_native};
    for (size_t i = 0; i < 2; i++) {
        struct out mixed;
        size_t size = 0;
        char *bytes = format_print(others[i], t, &size);
        out_open_memory(&mixed);
        out_text(&mixed, GOOD);
        out_bytes(&mixed, bytes, size);
        char message[128];
        (void)snprintf(message, sizeof message,
                       "byte 43: the Falcon trace goes on in %s form; formats cannot be mixed",
                       i == 0 ? "text" : "native");
        check_refused(mixed.buffer, mixed.used, message);
        out_abandon(&mixed);
        mem_free(bytes);
    }
}

TEST(nesting_is_limited)
{
    struct out text;
    out_open_memory(&text);
    out_text(&text, "{\"thread\":\"T\",\"type\":\"R\",\"x\":");
    for (int i = 0; i < 10000; i++) {
        out_text(&text, "[");
    }
    check_refused(text.buffer, text.used, "byte 0: the event is nested more than 1024 deep");
    out_abandon(&text);
}

/* What a child process writes into a pipe, and how much of it. */
struct flood {
    const char *beginning;
    const char *filler;
    uint64_t size;
};

static void write_flood(int fd, const void *context)
{
    const struct flood *flood = context;
    struct out out;
    struct err e;
    out_open_fd(&out, fd);
    out_text(&out, flood->beginning);
    while (out.written < flood->size && !out.failed) {
        out_text(&out, flood->filler);
    }
    _exit(out_close(&out, &e) == 0 ? 0 : 1);
}

/* Reading must fail with this message and never hold much more than a megabyte. */
static void check_flood(const struct flood *flood, const char *message)
{
    struct pipe_source source = pipe_from(write_flood, flood);
    struct trace t;
    trace_init(&t);
    struct notes n = {0};
    struct err e = {0};
    struct cursor *c = format_open(import_formats, NULL, source.path, &t.tables, &n, &e);
    must(c != NULL);
    struct batch b;
    int more = 0;
    while ((more = cursor_next(c, &b, &e)) > 0) {
    }
    CHECK_INT(more, -1);
    CHECK_TEXT(e.text, message);
    CHECK(c->in.capacity < 4 << 20);
    CHECK(t.tables.names.arena.size_total < 4 << 20);
    cursor_close(c);
    pipe_end(&source);
    trace_release(&t);
    notes_release(&n);
}

TEST(a_line_without_an_event_is_not_read_to_its_end)
{
    const uint64_t size = test_count(UINT64_C(64) << 20, UINT64_C(1) << 30);
    check_flood(&(struct flood){GOOD "noise", " and more noise", size},
                "byte 43: a line of more than 1048576 bytes without an event");
}

TEST(a_token_is_not_read_to_its_end)
{
    const uint64_t size = test_count(UINT64_C(8) << 20, UINT64_C(100) << 20);
    check_flood(&(struct flood){GOOD "{\"thread\":\"T", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", size},
                "byte 43: a name or value of more than 1048576 bytes");
    check_flood(&(struct flood){GOOD "{\"thread\":", "1234567891", size},
                "byte 43: a name or value of more than 1048576 bytes");
}

TEST(an_event_is_not_read_without_end)
{
    check_flood(&(struct flood){GOOD "{\"thread\":\"T\"", ",\"field\":\"with a value\"",
                                UINT64_C(32) << 20},
                "byte 43: an event of more than 16777216 bytes");
}
