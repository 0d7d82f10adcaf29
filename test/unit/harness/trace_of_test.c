#include "trace_of.h"

#include "test.h"
#include "trace/kind_table.h"

TEST(a_statement_becomes_an_event)
{
    const struct trace *t =
        trace_of("order exact; T1@a w x @Main:7 size=8 value=-3 time=5 hlc=9,2; T1@a fork T2@b");
    CHECK_INT(t->tables.order, ORDER_EXACT);
    CHECK_INT(t->events.count, 2);
    const struct event *w = trace_at(t, 0);
    CHECK_INT(w->kind, EVENT_WRITE);
    CHECK_TEXT(trace_name(t, trace_node_of(t, w)), "a");
    CHECK_TEXT(trace_name(t, w->object), "x");
    CHECK_TEXT(trace_name(t, w->location), "Main:7");
    CHECK_INT(w->has, HAS_SIZE | HAS_VALUE | HAS_TIME | HAS_HLC);
    CHECK_INT(w->size, 8);
    CHECK_INT(w->value, -3);
    CHECK_INT(w->time, 5);
    CHECK_INT(w->hlc_time, 9);
    CHECK_INT(w->hlc_count, 2);
    const struct event *fork = trace_at(t, 1);
    CHECK_INT(fork->kind, EVENT_THREAD_CREATE);
    CHECK_INT(fork->has, HAS_PEER);
    CHECK_INT(fork->peer, 1);
}

TEST(traces_are_compared_by_meaning_not_by_number)
{
    const struct trace *a = trace_of("T1 w x; T2 rcv c msg=m mode=udp");
    const struct trace *b = trace_of("T1 w x\nT2 recv c mode=udp msg=m\n");
    CHECK(trace_difference(a, b) == NULL);
    CHECK_TEXT(trace_difference(a, trace_of("T1 w y; T2 rcv c msg=m mode=udp")),
               "event 0 differs in its object");
    CHECK_TEXT(trace_difference(a, trace_of("T1 w x; T2 rcv c msg=n mode=udp")),
               "event 1 differs in its message");
    CHECK_TEXT(trace_difference(a, trace_of("T1 w x")), "2 events against 1");
    CHECK_TEXT(trace_difference(a, trace_of("order exact; T1 w x; T2 rcv c msg=m mode=udp")),
               "the headers differ (order, tick or source)");
}
