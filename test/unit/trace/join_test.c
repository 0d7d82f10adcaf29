#include "trace/merge_inputs.h"

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
    CHECK_INT(join_place(c, 1).input, 0);
    CHECK_INT(join_place(c, 1).index, 1);
    CHECK_INT(join_place(c, 2).input, 1);
    CHECK_INT(join_place(c, 2).index, 0);
    CHECK_INT(join_place(c, 3).input, 2);
    cursor_close(c);
    trace_seal(&t);
    check_same_trace(&t, trace_of("tick 1000000; source falcon;"
                                  "T@a w x; T@a r x; T@b w x; T@a r x"));
    trace_release(&t);
    notes_release(&n);
}

/* The tasks of the events as they come, "ABA". */
static const char *order_of(const char *const *paths, size_t count)
{
    static char order[100];
    struct trace t;
    trace_init(&t);
    struct notes n = {0};
    struct err e = {0};
    struct cursor *c = joined(paths, count, &t, &n, &e);
    must(c != NULL);
    CHECK_INT(trace_load(&t, c, &e), 0);
    uint64_t given[10] = {0};
    for (size_t i = 0; i < t.events.count; i++) {
        const struct join_place place = join_place(c, i);
        CHECK_INT(place.index, given[place.input]++);
        order[i] = trace_name(&t, t.tables.tasks.at[t.events.at[i].task].name)[0];
        CHECK_INT(order[i], 'A' + (int)place.input);
    }
    order[t.events.count] = '\0';
    cursor_close(c);
    trace_release(&t);
    notes_release(&n);
    return order;
}

#define ORDER_OF(...)                            \
    order_of((const char *const[]){__VA_ARGS__}, \
             sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

TEST(a_receive_waits_for_its_send_in_another_input)
{
    CHECK_TEXT(ORDER_OF(file("a.txt", "clew-text 1\nA@a write x\nA@a recv b>a msg=1\n"
                                      "A@a send a>b msg=2\n"),
                        file("b.txt", "clew-text 1\nB@b send b>a msg=1\nB@b write x\n"
                                      "B@b recv a>b msg=2\n")),
               "ABBAAB");
}

TEST(the_second_receive_of_a_name_waits_for_its_second_send)
{
    CHECK_TEXT(ORDER_OF(file("a.txt", "clew-text 1\nA@a recv b>a msg=1\nA@a recv b>a msg=1\n"),
                        file("b.txt", "clew-text 1\nB@b send b>a msg=1\nB@b recv c>b msg=3\n"
                                      "B@b send b>a msg=1\n"),
                        file("c.txt", "clew-text 1\nC@c write x\nC@c send c>b msg=3\n")),
               "BCCABBA");
}

TEST(bytes_of_a_stream_wait_for_as_many_sent)
{
    CHECK_TEXT(ORDER_OF(file("a.txt", "clew-text 1\nA@a recv b>a mode=tcp size=3\n"
                                      "A@a recv b>a mode=tcp size=3\n"
                                      "A@a send a>b mode=udp size=9\n"),
                        file("b.txt", "clew-text 1\nB@b send b>a mode=tcp size=4\n"
                                      "B@b recv a>b mode=udp size=9\n"
                                      "B@b send b>a mode=tcp size=2\n")),
               "BAAABB"); /* they wait for each other: the first goes on */
}

TEST(what_nobody_sent_holds_up_its_receiver_only_while_others_can_go_on)
{
    CHECK_TEXT(ORDER_OF(file("a.txt", "clew-text 1\nA@a recv x>a msg=1\nA@a write x\n"
                                      "A@a send a>b msg=2\n"),
                        file("b.txt", "clew-text 1\nB@b write x\nB@b recv a>b msg=2\n")),
               "BAAAB");
    CHECK_TEXT(ORDER_OF(file("a.txt", "clew-text 1\nA@a recv x>a msg=1\n"),
                        file("b.txt", "clew-text 1\nB@b recv x>b msg=2\n")),
               "AB");
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
