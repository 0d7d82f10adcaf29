#include "race/blind_updates.h"

#include <stdio.h>

#include "test.h"
#include "trace/kind_table.h"
#include "trace_of.h"

/* An update of x by a task, in a section of m. */
#define UPDATE(task) task " acq m; " task " r x mode=add; " task " w x mode=add; " task " rel m; "

/* Whether every mark holds, or none: a variable is settled as a whole. */
static bool all_hold(const char *text)
{
    struct trace settled;
    const struct trace *t = trace_of(text);
    const struct trace *kept = plain_updates_settle(t, &settled);
    bool is_any = false;
    bool is_all = true;
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(kept, id);
        CHECK_INT(e->kind, trace_at(t, id)->kind);
        if ((e->kind == EVENT_READ || e->kind == EVENT_WRITE) && trace_at(t, id)->mode != 0) {
            is_any |= e->mode != 0;
            is_all &= e->mode == trace_at(t, id)->mode;
        }
    }
    CHECK(is_any == is_all);
    CHECK((kept == t) == is_all);
    plain_updates_release(&settled);
    return is_all;
}

TEST(updates_in_sections_of_one_lock_hold)
{
    CHECK(all_hold(UPDATE("A") UPDATE("B") "C acq m; C r x; C rel m; D r x"));
}

TEST(a_trace_without_updates_is_left_alone)
{
    struct trace settled;
    const struct trace *t = trace_of("A r x; A w x; B w x");
    CHECK(plain_updates_settle(t, &settled) == t);
    plain_updates_release(&settled);
}

TEST(updates_without_a_lock_do_not_hold)
{
    CHECK(!all_hold("A r x mode=add; A w x mode=add; " UPDATE("B")));
}

TEST(updates_under_different_locks_do_not_hold)
{
    CHECK(!all_hold(UPDATE("A") "B acq n; B r x mode=add; B w x mode=add; B rel n"));
}

TEST(one_common_lock_of_several_is_enough)
{
    CHECK(all_hold("A acq n; " UPDATE("A") "A rel n; B acq o; " UPDATE("B") "B rel o"));
}

TEST(updates_under_a_shared_lock_do_not_hold)
{
    CHECK(!all_hold("A acq m mode=read; A r x mode=add; A w x mode=add; A rel m mode=read; "
                    "B acq m mode=read; B r x mode=add; B w x mode=add; B rel m mode=read"));
}

TEST(a_lock_that_is_taken_within_the_update_does_not_guard_it)
{
    CHECK(!all_hold("A r x mode=add; A acq m; A w x mode=add; A rel m; " UPDATE("B")));
    CHECK(!all_hold(
        "A acq m; A r x mode=add; A rel m; A acq m; A w x mode=add; A rel m; " UPDATE("B")));
}

TEST(a_read_whose_value_goes_elsewhere_does_not_hold)
{
    CHECK(!all_hold("A acq m; A r x mode=add; A rel m; " UPDATE("B")));
    CHECK(!all_hold("A acq m; A r x mode=add; A r x; A w x mode=add; A rel m; " UPDATE("B")));
    CHECK(!all_hold("A acq m; A r x mode=add; A r x mode=add; A w x mode=add; A rel m"));
    CHECK(!all_hold("A acq m; A r x mode=add; A w x; A rel m; " UPDATE("B")));
}

TEST(a_write_without_its_read_does_not_hold)
{
    CHECK(!all_hold("A acq m; A w x mode=add; A rel m; " UPDATE("B")));
}

TEST(another_operation_does_not_complete_an_update)
{
    CHECK(!all_hold("A acq m; A r x mode=add; A w x mode=or; A rel m; " UPDATE("B")));
    CHECK(all_hold("A acq m; A r x mode=or; A w x mode=or; A rel m; " UPDATE("B")));
}

TEST(other_writes_need_the_lock)
{
    CHECK(all_hold(UPDATE("A") UPDATE("B") "C acq m; C w x; C rel m"));
    CHECK(!all_hold(UPDATE("A") UPDATE("B") "C w x"));
    CHECK(!all_hold(UPDATE("A") UPDATE("B") "C st x"));
}

TEST(other_writes_may_be_ordered_by_creation_and_join_instead)
{
    CHECK(all_hold("M w x; M fork A; M fork B; A begin; " UPDATE("A") "A end; B begin; " UPDATE(
        "B") "B end; M join A; M join B; M w x"));
    CHECK(!all_hold(
        "M fork A; M fork B; M w x; A begin; " UPDATE("A") "A end; B begin; " UPDATE("B") "B end"));
    CHECK(!all_hold("M fork A; M fork B; A begin; " UPDATE("A") "A end; M join A; M w x; "
                                                                "B begin; " UPDATE("B") "B end"));
}

TEST(variables_are_settled_one_by_one)
{
    struct trace settled;
    const struct trace *t = trace_of(UPDATE("A") UPDATE("B") "A r y mode=add; A w y mode=add");
    const struct trace *kept = plain_updates_settle(t, &settled);
    CHECK(event_is_update(trace_at(kept, 2)));
    CHECK(!event_is_update(trace_at(kept, 9)));
    plain_updates_release(&settled);
}
