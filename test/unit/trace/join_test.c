#include "trace/join.h"

#include "import/import.h"
#include "scratch.h"
#include "test.h"
#include "trace/trace.h"
#include "trace_of.h"

static const char *file(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

static struct cursor *joined(const char *const *paths, size_t count, struct trace *t,
                             struct notes *n, struct err *e)
{
    static const struct format *const formats[] = {&format_falcon, &format_std, &format_text, NULL};
    const struct join_inputs inputs = {.formats = formats, .paths = paths, .count = count};
    return join_open(&inputs, &t->tables, n, e);
}

TEST(inputs_come_one_behind_the_other_and_share_names)
{
    const char *const paths[] = {
        file("a.log", "{\"thread\":\"T@a\",\"type\":\"W\",\"variable\":\"x\"}\n"
                      "{\"thread\":\"T@a\",\"type\":\"R\",\"variable\":\"x\"}\n"),
        file("b.log", "{\"thread\":\"T@b\",\"type\":\"W\",\"variable\":\"x\"}\n"),
        file("c.log", "\n{\"thread\":\"T@a\",\"type\":\"R\",\"variable\":\"x\"}\n"),
    };
    struct trace t;
    trace_init(&t);
    struct notes n = {0};
    struct err e;
    struct cursor *c = joined(paths, 3, &t, &n, &e);
    must(c != NULL);
    struct batch b;
    for (size_t input = 0; input < 3; input++) {
        CHECK_INT(cursor_next(c, &b, &e), 1);
        CHECK_INT(b.input, input);
        CHECK_TEXT(c->path, paths[input]);
        CHECK_INT(b.offsets[0], input == 2 ? 1 : 0);
        for (size_t i = 0; i < b.count; i++) {
            trace_append(&t, &b.events[i]);
        }
    }
    CHECK_INT(cursor_next(c, &b, &e), 0);
    CHECK_INT(cursor_next(c, &b, &e), 0);
    size_t count = 0;
    const uint64_t *starts = join_starts(c, &count);
    CHECK_INT(count, 3);
    CHECK_INT(starts[0], 0);
    CHECK_INT(starts[1], 2);
    CHECK_INT(starts[2], 3);
    cursor_close(c);
    trace_seal(&t);
    check_same_trace(&t, trace_of("tick 1000000; source falcon;"
                                  "T@a w x; T@a r x; T@b w x; T@a r x"));
    trace_release(&t);
    notes_release(&n);
}

TEST(joined_executions_are_no_longer_exact)
{
    const char *const paths[] = {file("a.std", "T0|w(x)|1\n"), file("b.std", "T1|w(x)|1\n")};
    for (size_t count = 1; count <= 2; count++) {
        struct trace t;
        trace_init(&t);
        struct notes n = {0};
        struct err e;
        struct cursor *c = joined(paths, count, &t, &n, &e);
        CHECK_INT(trace_load(&t, c, &e), 0);
        CHECK_INT(t.tables.order, count == 1 ? ORDER_EXACT : ORDER_NODE);
        CHECK_INT(t.events.count, count);
        cursor_close(c);
        trace_release(&t);
        notes_release(&n);
    }
}

static void check_fails(const char *first, const char *second, const char *wanted)
{
    const char *const paths[] = {first, second};
    struct trace t;
    trace_init(&t);
    struct notes n = {0};
    struct err e;
    struct cursor *c = joined(paths, 2, &t, &n, &e);
    if (c != NULL) {
        CHECK(trace_load(&t, c, &e) < 0);
        CHECK_TEXT(c->path, second);
    }
    CHECK_TEXT(e.text, wanted);
    cursor_close(c);
    trace_release(&t);
    notes_release(&n);
}

TEST(what_is_wrong_with_an_input_is_told_of_that_input)
{
    const char *good = file("good.log", "{\"thread\":\"T\",\"type\":\"R\"}");
    check_fails(good, file("bad.log", "{\"thread\":\"T\",\"type\":\"Q\"}"),
                "byte 0: \"Q\" is no type of Falcon event");
    check_fails(good, scratch_path("missing.log"), "cannot be opened: No such file or directory");
    check_fails(good, file("other.std", "T0|w(x)|1\nT0|q(x)|1\n"),
                "byte 10: the line \"T0|q(x)|1\" has no operation of RAPID STD");
    check_fails(good, file("other.text", "clew-text 1 order=node tick=1000\nr T\n"),
                "its unit of time differs from that of the inputs before; convert it first");
    char wanted[512];
    (void)snprintf(wanted, sizeof wanted, "%s: is empty, not a trace", scratch_path("empty.log"));
    check_fails(file("empty.log", ""), good, wanted);
}
