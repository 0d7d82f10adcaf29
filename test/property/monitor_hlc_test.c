/* Stamps computed from physical times and messages are those that the processes would have had. */
#include "order/hlc_stamps.h"

#include "monitor/workload.h"
#include "order/message.h"
#include "test.h"
#include "trace_of.h"

/* Each task is a process; the stamps that t has are those wanted. */
static void check_stamps(const struct trace *t)
{
    struct arena a = {0};
    struct edges edges = {0};
    struct messages messages;
    struct notes notes = {0};
    uint32_t *process_of = arena_array(&a, uint32_t, t->tables.tasks.count);
    for (uint32_t i = 0; i < t->tables.tasks.count; i++) {
        process_of[i] = i;
    }
    messages_build(&messages, t, &edges, &a, &notes);
    const struct hlc_processes processes = {process_of, (uint32_t)t->tables.tasks.count, &edges,
                                            NULL};
    const struct hlc *stamps = hlc_build(t, &processes, &a);
    for (event_id id = 0; id < t->events.count; id++) {
        CHECK_INT(stamps[id].time, trace_at(t, id)->hlc_time);
        CHECK_INT(stamps[id].count, trace_at(t, id)->hlc_count);
    }
    edges_release(&edges);
    notes_release(&notes);
    arena_release(&a);
}

TEST(stamps_are_those_of_processes_that_carry_clocks)
{
    for (uint64_t seed = 1; seed <= test_count(20, 500); seed++) {
        struct workload w = workload_default(WORKLOAD_SYNTHETIC);
        struct trace t;
        w.process_count = 2 + (uint32_t)(seed % 4);
        w.message_rate = 50000;
        w.skew = 30;
        w.delay = (int64_t)(seed % 3);
        w.duration = 400;
        w.seed = seed;
        trace_init(&t);
        workload_run(&w, &t);
        check_stamps(&t);
        trace_release(&t);
    }
}

TEST(a_receive_that_is_listed_before_its_send_waits_for_it)
{
    check_stamps(trace_of("tick 1; t@b rcv c msg=m mode=udp time=3 hlc=9,2;"
                          "t@b var x value=1 time=4 hlc=9,3; t@a var x value=1 time=9 hlc=9,0;"
                          "t@a snd c msg=m mode=udp time=8 hlc=9,1"));
}
