#include "order/user_edges.h"

#include "fuzz.h"
#include "mutate.h"
#include "order_of.h"
#include "scratch.h"

static void check_fault(const char *text, const char *fault)
{
    struct given g = {0};
    struct err e = {0};
    CHECK_INT(given_parse(&g, text, strlen(text), &e), -1);
    CHECK_TEXT(e.text, fault);
    given_release(&g);
}

static const char *with_given(const char *orders, const char *text, event_id a, event_id b)
{
    struct given g = {0};
    struct err e = {0};
    struct notes n = {0};
    struct hb hb;
    CHECK_INT(given_parse(&g, orders, strlen(orders), &e), 0);
    const struct hb_options options = {.scope = REACH_ALL, .given = &g};
    CHECK_INT(hb_build(&hb, trace_of(text), &options, &n, &e), 0);
    const char *result = hb_is_before(&hb, a, b) ? "<" : hb_is_before(&hb, b, a) ? ">" : "|";
    hb_release(&hb);
    notes_release(&n);
    given_release(&g);
    return result;
}

TEST(orders_name_events_by_index)
{
    CHECK_TEXT(with_given("0 before 1\n", "A w x; B w x", 0, 1), "<");
    CHECK_TEXT(with_given("1 before 0", "A w x; B w x", 0, 1), ">");
}

TEST(orders_name_events_by_place)
{
    const char *text = "A w x @a.c:1; B w x @b.c:2; A w x @a.c:1; B w x @b.c:2";
    CHECK_TEXT(with_given("a.c:1 before b.c:2", text, 0, 1), "<");
    CHECK_TEXT(with_given("a.c:1 before b.c:2", text, 2, 1), "|");
    CHECK_TEXT(with_given("a.c:1 before b.c:2", text, 2, 3), "<");
    CHECK_TEXT(
        with_given("# a comment\n\n  \"a.c:1\"  before \"b\\.c:2\" # and another\r\n", text, 0, 1),
        "<");
}

TEST(a_given_order_that_contradicts_the_trace_is_dropped_and_noted)
{
    CHECK_TEXT(with_given("1 before 0", "A snd c msg=1; B rcv c msg=1", 0, 1), "<");
}

TEST(faults_are_told_with_line_and_column)
{
    check_fault("1 before", "line 1, column 9: an event (its index or its location) is missing");
    check_fault("\n 1 after 2",
                "line 2, column 4: the word 'before' is missing (a line is: A before B)");
    check_fault("1 before 2 3",
                "line 1, column 12: nothing may follow A before B (quote locations with blanks)");
    check_fault("\"a before b", "line 1, column 1: this quote is never closed");
    check_fault("99999999999 before 1",
                "line 1, column 1: no trace has that many events (quote it if it "
                "is a location)");
    check_fault("7 before 7", "line 1, column 1: an event does not come before itself");
}

TEST(an_index_beyond_the_trace_is_an_error)
{
    struct given g = {0};
    struct err e = {0};
    struct notes n = {0};
    struct hb hb;
    CHECK_INT(given_parse(&g, "0 before 7", 10, &e), 0);
    CHECK_INT(hb_build(&hb, trace_of("A w x"), &(struct hb_options){.given = &g}, &n, &e), -1);
    CHECK_TEXT(e.text, "given orders: line 1: event 7 is beyond the trace, which has 1");
    notes_release(&n);
    given_release(&g);
}

/* Reads the orders from a file; checks the one note about them, NULL: none. */
static void check_note(const char *orders, const char *trace, const char *text)
{
    struct given g = {0};
    struct err e = {0};
    struct notes n = {0};
    struct hb hb;
    const char *path = scratch_write("orders", orders, strlen(orders));
    CHECK_INT(given_read(&g, path, &e), 0);
    CHECK_INT(hb_build(&hb, trace_of(trace), &(struct hb_options){.given = &g}, &n, &e), 0);
    CHECK_INT(n.list.count, text == NULL ? 0 : 1);
    if (text != NULL) {
        char place[sizeof n.list.at[0].place];
        (void)snprintf(place, sizeof place, "%s: line 2", path);
        CHECK_TEXT(n.list.at[0].text, text);
        CHECK_TEXT(n.list.at[0].place, place);
    }
    hb_release(&hb);
    notes_release(&n);
    given_release(&g);
}

TEST(a_place_where_nothing_happens_is_noted)
{
    check_note("\nnowhere before 0\n", "A w x",
               "a given order names a place where nothing happens, nowhere");
}

TEST(an_order_that_applies_to_no_pair_is_noted)
{
    check_note("\na before b\n", "A w x @a; B w x @b", NULL);
    check_note("\nb before a\n", "A w x @a; B w x @b",
               "a given order has no effect: nothing there is listed in that order");
    check_note("\n1 before 0\n", "A w x @a; B w x @b", NULL); /* against the list, but exact */
}

TEST(a_file_that_cannot_be_read_is_an_error)
{
    struct given g = {0};
    struct err e = {0};
    CHECK_INT(given_read(&g, "/nowhere/at/all", &e), -1);
    CHECK_TEXT(e.text, "/nowhere/at/all: cannot be opened: No such file or directory");
    CHECK_INT(given_read(&g, "/", &e), -1);
    CHECK_TEXT(e.text, "/: is a directory, not a file");
    given_release(&g);
}

TEST(a_file_is_read_whole)
{
    struct given g = {0};
    struct err e = {0};
    const char *path = scratch_write("orders", "0 before 1\n\n2 before 3\n", 23);
    CHECK_INT(given_read(&g, path, &e), 0);
    CHECK_INT(g.lines.count, 2);
    CHECK_INT(g.lines.at[1].line, 3);
    given_release(&g);
}

FUZZ_DECLARE(given);

TEST(damaged_orders_are_read_or_refused)
{
    mutate_entry("given", fuzz_given);
}
