#include "trace/summary.h"

#include "test.h"
#include "trace_of.h"

static void summarize(struct summary *s, const struct trace *t)
{
    summary_init(s, &t->tables);
    summary_events(s, &(struct batch){.events = t->events.at, .count = t->events.count});
}

TEST(events_are_counted_by_kind_task_and_node)
{
    const struct trace *t = trace_of("A@p w x; A@p w y; B@p r x; C@q fork D@q; C@q w x");
    struct summary s;
    summarize(&s, t);
    CHECK_INT(s.event_count, 5);
    CHECK_INT(s.by_kind[EVENT_WRITE], 3);
    CHECK_INT(s.by_kind[EVENT_READ], 1);
    CHECK_INT(s.by_kind[EVENT_THREAD_CREATE], 1);
    struct arena a = {0};
    size_t count = 0;
    const struct node_summary *nodes = summary_nodes(&s, &a, &count);
    CHECK_INT(count, 2);
    CHECK_TEXT(trace_name(t, nodes[0].node), "p");
    CHECK_INT(nodes[0].task_count, 2);
    CHECK_INT(nodes[0].event_count, 3);
    CHECK_INT(nodes[1].task_count, 2);
    CHECK_INT(nodes[1].event_count, 2);
    arena_release(&a);
    summary_release(&s);
}

TEST(objects_belong_to_their_node_but_channels_and_shared_locks_do_not)
{
    struct summary s;
    summarize(&s,
              trace_of("A@p w x; B@q w x; A@p acq m; B@q acq m; A@p ld x;"
                       "A@p acq l mode=flock-write; B@q acq l mode=flock-write;"
                       "A@p snd p>q msg=1; B@q rcv p>q msg=1; A@p wait c lock=m;"
                       "A@p request /users mode=GET; B@q file-open f; A@p set t; A@p before z"));
    CHECK_INT(summary_objects(&s, ROLE_VARIABLE), 2);
    CHECK_INT(summary_objects(&s, ROLE_LOCK), 3);
    CHECK_INT(summary_objects(&s, ROLE_CHANNEL), 1);
    CHECK_INT(summary_objects(&s, ROLE_CONDITION), 1);
    CHECK_INT(summary_objects(&s, ROLE_RESOURCE), 1);
    CHECK_INT(summary_objects(&s, ROLE_FILE), 1);
    CHECK_INT(summary_objects(&s, ROLE_TIMER), 1);
    CHECK_INT(summary_objects(&s, ROLE_OTHER), 1);
    CHECK_INT(summary_objects(&s, ROLE_BARRIER), 0);
    CHECK_INT(s.objects.entries.count, 11);
    summary_release(&s);
}

TEST(an_object_in_two_roles_is_one_object)
{
    struct summary s;
    summarize(&s, trace_of("A acq m; A wait m; A woken m; A rel m"));
    CHECK_INT(summary_objects(&s, ROLE_LOCK), 1);
    CHECK_INT(summary_objects(&s, ROLE_CONDITION), 1);
    CHECK_INT(s.objects.entries.count, 1);
    summary_release(&s);
}

TEST(the_span_of_time_leaves_out_zeros)
{
    struct summary s;
    summarize(&s, trace_of("A w x time=0; A w x time=50; B w x time=20; B w x"));
    CHECK(s.has_time);
    CHECK_INT(s.time_first, 20);
    CHECK_INT(s.time_last, 50);
    summary_release(&s);
    summarize(&s, trace_of("A w x; A w x time=0"));
    CHECK(!s.has_time);
    summary_release(&s);
}

TEST(an_empty_trace_has_nothing)
{
    struct summary s;
    summarize(&s, trace_of(""));
    CHECK_INT(s.event_count, 0);
    struct arena a = {0};
    size_t count = 7;
    (void)summary_nodes(&s, &a, &count);
    CHECK_INT(count, 0);
    arena_release(&a);
    summary_release(&s);
}
