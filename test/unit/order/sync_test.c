#include "order/sync_edges.h"

#include "order_of.h"

TEST(a_task_starts_after_its_creation_and_ends_before_its_join)
{
    const char *text = "A fork B; B begin; B end; A join B";
    CHECK_TEXT(strictly(text, 0, 1), "<");
    CHECK_TEXT(strictly(text, 2, 3), "<");
}

TEST(a_task_without_start_and_end_has_its_first_and_last_events)
{
    const char *text = "A fork B; B w x; B w y; A join B";
    CHECK_TEXT(strictly(text, 0, 1), "<");
    CHECK_TEXT(strictly(text, 2, 3), "<");
}

TEST(a_join_without_end_comes_after_all_handlers)
{
    const char *text =
        "B rcv c msg=1; B hb; B w x; B he; B rcv c msg=2; B hb; B w y; B he; A join B";
    CHECK_TEXT(strictly(text, 2, 8), "<");
    CHECK_TEXT(strictly(text, 6, 8), "<");
}

TEST(a_name_given_to_several_tasks_is_matched_in_order)
{
    const char *text = "A fork B; B begin; B end; A join B; A fork B; B begin; B end; A join B";
    CHECK_TEXT(strictly(text, 4, 5), "<");
    CHECK_TEXT(strictly(text, 2, 3), "<");
    CHECK_TEXT(strictly(text, 6, 7), "<");
}

TEST(a_child_that_never_starts_is_noted)
{
    CHECK_INT(notes_about("A fork B", "never starts"), 1);
    CHECK_INT(notes_about("A fork B; B w x", "never starts"), 0);
}

TEST(a_process_begins_after_its_fork)
{
    CHECK_TEXT(strictly("A process-fork B@2; B@2 w x", 0, 1), "<");
}

TEST(an_acquire_load_sees_the_release_store_before_it)
{
    CHECK_TEXT(strictly("A st x; B ld x", 0, 1), "<");
    CHECK_TEXT(strictly("A st x mode=release; B ld x mode=acquire", 0, 1), "<");
    CHECK_TEXT(strictly("A st x mode=relaxed; B ld x mode=acquire", 0, 1), "|");
    CHECK_TEXT(strictly("A st x mode=release; B ld x mode=relaxed", 0, 1), "|");
    CHECK_TEXT(strictly("A st x; C st x mode=relaxed; B ld x", 0, 2), "|");
    CHECK_TEXT(strictly("A@n st x; B@o ld x", 0, 1), "|");
}

TEST(read_modify_writes_pass_a_release_on)
{
    CHECK_TEXT(strictly("A st x; C rmw x mode=relaxed; B ld x", 0, 2), "<");
    CHECK_TEXT(strictly("A st x; C rmw x mode=relaxed; B ld x", 1, 2), "|");
    CHECK_TEXT(strictly("A st x; C rmw x mode=release; B ld x", 0, 2), "<");
    CHECK_TEXT(strictly("A st x; C rmw x; B ld x", 0, 2), "<");
}

TEST(a_semaphore_lets_through_what_was_posted)
{
    CHECK_TEXT(strictly("A post s; B down s", 0, 1), "<");
    CHECK_TEXT(strictly("B down s; A post s; C down s", 1, 2), "|"); /* C could come first */
    CHECK_TEXT(strictly("B sem-init s value=0; A post s; B down s; A post s; B down s", 3, 4), "<");
    CHECK_TEXT(strictly("B sem-init s value=1; A post s; B down s; A post s; B down s", 3, 4), "|");
    CHECK_TEXT(strictly("B sem-init s value=1; A post s; B down s; A post s; B down s", 1, 4), "<");
    CHECK_TEXT(strictly("A post s; C post s; B down s; D down s; B down s", 0, 3), "|");
    CHECK_TEXT(strictly("A sem-init s value=0; A post s; C post s; B down s; B down s", 1, 4), "<");
    CHECK_TEXT(strictly("B down s; A post s; C down s", 0, 1), "|");
    CHECK_TEXT(strictly("A post s; C post s; B down s", 1, 2), "|");
}

TEST(a_barrier_holds_everybody)
{
    const char *text =
        "A enter b; B enter b; A leave b; B leave b; B enter b; A enter b; A leave b";
    CHECK_TEXT(strictly(text, 1, 2), "<");
    CHECK_TEXT(strictly(text, 0, 3), "<");
    CHECK_TEXT(strictly(text, 0, 4), "<");
    CHECK_TEXT(strictly(text, 4, 6), "<");
    CHECK_TEXT(strictly(text, 3, 6), "<");
    CHECK_TEXT(strictly(text, 2, 3), "|");
}

TEST(a_one_time_initialization_comes_first)
{
    CHECK_TEXT(strictly("A once o; B once o; C once o", 0, 2), "<");
    CHECK_TEXT(strictly("A once o; B once o; C once o", 1, 2), "|");
}

TEST(annotations_order_what_is_listed_later)
{
    const char *text = "A before q; B before q; C after q; D before q; C after q";
    CHECK_TEXT(strictly(text, 0, 2), "<");
    CHECK_TEXT(strictly(text, 1, 2), "<");
    CHECK_TEXT(strictly(text, 3, 2), "|");
    CHECK_TEXT(strictly(text, 3, 4), "<");
}
