/* Couples whose accesses are parts of two calls, two rounds of a loop, or two complete updates. */
#include "atomicity/separate_operations.h"

#include "atomicity/atomicity.h"
#include "test.h"
#include "trace_of.h"

static struct atomicity_stats stats; /* of the last search */

/* The keys of the patterns that are found, a blank behind each. */
static const char *found_with(const char *text, struct atomicity_options o)
{
    static char shown[1000];
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    size_t used = 0;
    shown[0] = '\0';
    stats = (struct atomicity_stats){0};
    o.skips_merged = true;
    CHECK_INT(atomicity_find(trace_of(text), &o, &f, &stats, &n, &e), 0);
    vec_each (&f.list, finding) {
        const char *pattern = strchr(finding->key, '|') + 1;
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%.*s ",
                                 (int)strcspn(pattern, "|"), pattern);
    }
    findings_release(&f);
    notes_release(&n);
    return shown;
}

static const char *found(const char *text)
{
    return found_with(text, (struct atomicity_options){.skips_pairs = true});
}

/* Sections of task A that read, write, or read and write x. */
#define READ "A acq m; A r x @a; A rel m; "
#define WRITE "A acq m; A w x @b; A rel m; "
#define PUSH "A acq m; A r x @e; A w x @f; A rel m; "
#define UPDATE "A acq m; A r x @c; A w x @c; A rel m; "
/* Task A enters a call of its routine, a call in that, or a round of a loop in that. */
#define CALL "A scope count=0 size=1 value=0; "
#define CALL_IN "A scope count=1 size=2 value=0; "
#define ROUTINE "A scope count=0 size=0; "
#define ROUND "A scope count=0 size=1 value=1; "
#define CALL_IN_ROUND "A scope count=2 size=3 value=2; "
#define ROUND_IN "A scope count=1 size=2 value=2; "
#define OTHER_WRITES "B acq m; B w x @d; B rel m"
#define OTHER_READS "B acq m; B r x @d; B rel m"

TEST(scopes_meet_in_the_innermost_that_has_both)
{
    struct scope_tree t = {0};
    struct scope_path p = {0};
    scope_move(&t, &p, &(struct event){.kind = EVENT_SCOPE, .count = 0, .size = 2, .value = 2});
    const uint32_t first = scope_now(&p);
    scope_move(&t, &p, &(struct event){.kind = EVENT_SCOPE, .count = 1, .size = 3, .value = 2});
    const uint32_t second = scope_now(&p);
    const struct scope_meeting m = scope_meet(&t, first, second);
    CHECK_INT(m.common, 1);
    CHECK_INT(m.first, first);
    CHECK(scope_is_round(&t, m.first));
    CHECK(scope_is_round(&t, m.second));
    CHECK(scope_is_in(&t, second, m.second));
    CHECK(!scope_is_in(&t, second, m.first));
    CHECK_INT(scope_meet(&t, second, m.second).second, SCOPE_ROOT);
    CHECK_INT(scope_meet(&t, first, SCOPE_ROOT).common, SCOPE_ROOT);
    scope_tree_release(&t);
}

TEST(a_write_ends_a_complete_call_of_the_routine)
{
    static const char text[] = CALL UPDATE CALL READ OTHER_WRITES;
    CHECK_TEXT(found(text), "");
    CHECK_INT(stats.settled[SETTLED_CALLS], 1);
    CHECK_TEXT(
        found_with(text, (struct atomicity_options){.skips_pairs = true, .wants_settled = true}),
        "WWR ");
}

TEST(a_check_and_an_act_in_two_calls_stay_a_couple)
{
    CHECK_TEXT(found(CALL READ CALL WRITE OTHER_WRITES), "RWW ");
    CHECK_TEXT(found(CALL READ CALL UPDATE OTHER_WRITES), "RWR ");
}

TEST(calls_in_a_function_stay_a_couple)
{
    CHECK_TEXT(found(CALL CALL_IN WRITE CALL_IN WRITE OTHER_READS), "WRW ");
    CHECK_TEXT(found(CALL CALL_IN WRITE CALL_IN READ OTHER_WRITES), "WWR ");
}

TEST(what_the_routine_does_behind_a_complete_call_is_apart)
{
    CHECK_TEXT(found(CALL WRITE ROUTINE READ OTHER_WRITES), "");
    CHECK_INT(stats.settled[SETTLED_CALLS], 1);
    CHECK_TEXT(found(CALL READ ROUTINE WRITE OTHER_WRITES), "RWW ");
    CHECK_TEXT(found(ROUTINE WRITE CALL READ OTHER_WRITES), "WWR ");
}

TEST(what_follows_the_loop_of_a_routine_is_no_part_of_a_round_that_has_written)
{
    CHECK_TEXT(found(ROUND WRITE ROUTINE READ OTHER_WRITES), "");
    CHECK_INT(stats.settled[SETTLED_LOOP], 1);
    CHECK_TEXT(found(ROUND READ ROUTINE WRITE OTHER_WRITES), "RWW ");
}

TEST(calls_of_one_round_are_complete)
{
    CHECK_TEXT(found(CALL ROUND_IN CALL_IN_ROUND WRITE CALL_IN_ROUND READ OTHER_WRITES), "");
    CHECK_INT(stats.settled[SETTLED_CALLS], 1);
    CHECK_TEXT(found(CALL ROUND_IN CALL_IN_ROUND READ CALL_IN_ROUND WRITE OTHER_WRITES), "RWW ");
}

TEST(updates_of_one_variable_may_change_places)
{
    static const char updates[] =
        CALL CALL_IN "A acq m; A r x @a; A w x @a; A rel m; " CALL_IN "A acq m; A w y @b; A rel m; "
                     "B acq m; B r x @c; B w x @c; B r y @d; B rel m";
    static const char reads[] =
        CALL CALL_IN "A acq m; A r x @a; A w x @a; A rel m; " CALL_IN "A acq m; A w y @b; A rel m; "
                     "B acq m; B r x @c; B r y @d; B rel m";
    CHECK_TEXT(found_with(updates, (struct atomicity_options){.skips_single = true}), "");
    CHECK_TEXT(found_with(reads, (struct atomicity_options){.skips_single = true}), "P3 ");
}

TEST(rounds_of_a_function_are_apart)
{
    CHECK_TEXT(found(CALL ROUND_IN READ ROUND_IN WRITE OTHER_WRITES), "");
    CHECK_INT(stats.settled[SETTLED_LOOP], 1);
    CHECK_TEXT(found(CALL ROUND_IN READ WRITE OTHER_WRITES), "RWW ");
}

TEST(a_loop_that_reads_another_variable_in_each_round_is_one)
{
    static const char text[] =
        CALL ROUND_IN "A acq m; A r x @a; A rel m; " ROUND_IN
                      "A acq m; A r y @b; A rel m; B acq m; B w x @c; B w y @d; B rel m";
    CHECK_TEXT(found_with(text, (struct atomicity_options){0}), "P2 ");
}

TEST(two_complete_updates_are_apart)
{
    CHECK_TEXT(found(CALL CALL_IN UPDATE CALL_IN UPDATE OTHER_WRITES), "");
    CHECK_INT(stats.settled[SETTLED_ACTIONS], 1);
    CHECK_TEXT(found(CALL CALL_IN UPDATE CALL_IN UPDATE OTHER_READS), "");
}

TEST(one_update_made_twice_is_apart)
{
    CHECK_TEXT(found(CALL CALL_IN PUSH CALL_IN PUSH OTHER_READS), "");
    CHECK_INT(stats.settled[SETTLED_ACTIONS], 1);
    CHECK_TEXT(found(CALL CALL_IN PUSH CALL_IN UPDATE OTHER_READS), "WRW ");
}

/* A section of task A that reads x, and finds nothing to do; one of task B that takes its lock at
 * the same place, reads x there, and writes it. */
#define TAKE_NOT "A acq m @k; A r x @e; A rel m; "
#define OTHER_TAKES "B acq m @k; B r x @e; B w x @f; B rel m"
#define BLIND "A acq m; A r x @c mode=add; A w x @c mode=add; A rel m; "

TEST(an_attempt_and_an_update_are_apart)
{
    CHECK_TEXT(found(CALL CALL_IN TAKE_NOT CALL_IN PUSH OTHER_TAKES), "");
    CHECK_INT(stats.settled[SETTLED_ACTIONS], 1);
    CHECK_TEXT(found(CALL CALL_IN TAKE_NOT CALL_IN TAKE_NOT OTHER_TAKES), "");
    CHECK_TEXT(found(CALL CALL_IN WRITE CALL_IN TAKE_NOT OTHER_TAKES), "");
    /* A read that no section goes on from is a check; so is one under a lock that was taken at
     * another place. */
    CHECK_TEXT(found(CALL CALL_IN TAKE_NOT CALL_IN PUSH OTHER_WRITES), "RWR ");
    CHECK_TEXT(found(CALL CALL_IN READ CALL_IN PUSH OTHER_TAKES), "RWR ");
    CHECK_TEXT(found(CALL CALL_IN "A acq m @l; A r x @e; A rel m; " CALL_IN PUSH OTHER_TAKES),
               "RWR ");
    /* So are sections at one place that one call makes: a line may hold both. */
    CHECK_TEXT(found(CALL "A acq m @k; A r x @e; A w x @f; A rel m; " TAKE_NOT OTHER_TAKES),
               "WWR ");
    /* A blind update looks at nothing. */
    CHECK_TEXT(found(CALL CALL_IN TAKE_NOT CALL_IN BLIND OTHER_TAKES), "RWR ");
}

TEST(a_lock_held_across_two_updates_does_not_join_them)
{
    CHECK_TEXT(found("A acq n; " CALL CALL_IN UPDATE CALL_IN UPDATE "A rel n; " OTHER_WRITES), "");
    CHECK_TEXT(found("A acq n; " CALL CALL_IN WRITE CALL_IN READ "A rel n; " OTHER_WRITES), "WWR ");
}

/* Two calls of the routine under lock n. It joins them only where another task holds n too when it
 * uses x. */
TEST(a_lock_that_only_one_task_uses_joins_nothing)
{
    CHECK_TEXT(found("A acq n; " CALL WRITE CALL READ "A rel n; " OTHER_WRITES), "");
    CHECK_TEXT(found("A acq n; " CALL WRITE CALL READ "A rel n; " OTHER_WRITES
                     "; C acq n; C w z @g; C rel n"),
               "");
    CHECK_TEXT(found("A acq n; " CALL WRITE CALL READ "A rel n; " OTHER_WRITES
                     "; C acq n; C r x @g; C rel n"),
               "WWR ");
}

/* A reads x in one call and in the next; the first also writes z, which B reads, or counts it. */
#define LOOK_AND(more) CALL "A acq m; A r x @a; " more "A rel m; " CALL READ "B r z; " OTHER_WRITES

TEST(a_call_that_writes_anything_shared_has_acted)
{
    CHECK_TEXT(found(LOOK_AND("")), "RWR ");
    CHECK_TEXT(found(LOOK_AND("A w z @g; ")), "");
    CHECK_TEXT(found(LOOK_AND("A w z mode=add @g; ")), "RWR ");
    CHECK_TEXT(found(LOOK_AND("A w z mode=add @g; A r z @h; ")), "");
    CHECK_TEXT(found(LOOK_AND("A w z mode=add @g; A r z mode=add @h; A w z mode=add @h; ")),
               "RWR WRW ");
}

#define CHECK_SHARED "A acq m mode=read; A r x @a; A rel m; "

TEST(a_check_that_the_exclusive_section_repeats_is_complete)
{
    CHECK_TEXT(found(CALL CHECK_SHARED PUSH OTHER_WRITES), "");
    CHECK_TEXT(found(CALL CHECK_SHARED WRITE OTHER_WRITES), "RWW ");
    CHECK_TEXT(found(CALL READ PUSH OTHER_WRITES), "RWR ");
    CHECK_TEXT(found(CALL CALL_IN CHECK_SHARED CALL_IN PUSH OTHER_WRITES), "RWR ");
    CHECK_TEXT(found(CALL CHECK_SHARED BLIND OTHER_WRITES), "RWR ");
}

/* A looks at y and then counts x; B counts x and then writes y. */
#define COUNT_BESIDE(mode)                                                                    \
    CALL "A acq m; A r y @a; A rel m; A acq m; A r x @c" mode "; A w x @c" mode "; A rel m; " \
         "B acq m; B r x @d" mode "; B w x @d" mode "; B w y @e; B rel m"
#define RESULTS_ARE_TOLD "; C r z mode=add; C w z mode=add"

TEST(a_count_that_its_task_looks_at_is_no_counter)
{
    const struct atomicity_options o = {.skips_single = true};
    CHECK(strstr(found_with(COUNT_BESIDE(""), o), "P") == NULL);
    CHECK(strstr(found_with(COUNT_BESIDE(" mode=add"), o), "P") == NULL);
    CHECK(strstr(found_with(COUNT_BESIDE("") RESULTS_ARE_TOLD, o), "P1") != NULL);
    CHECK(strstr(found_with(COUNT_BESIDE(" mode=add") RESULTS_ARE_TOLD, o), "P") == NULL);
}

#define READ_BOTH "A acq m; A r x @a; A r y @b; A rel m; "
#define READ_ONE(name) "A acq m; A r " name " @a; A rel m; "
#define WRITE_BOTH "B acq m; B w x @c; B w y @d; B rel m"

TEST(a_round_that_reads_both_variables_is_complete)
{
    const struct atomicity_options o = {.skips_single = true};
    CHECK_TEXT(found_with(CALL ROUND_IN READ_BOTH ROUND_IN READ_BOTH WRITE_BOTH, o), "");
    CHECK_TEXT(found_with(CALL ROUND_IN READ_ONE("y") ROUND_IN READ_ONE("x") WRITE_BOTH, o), "P2 ");
}

/* A takes from a list in one section and gives back in another; B takes, or only looks. */
#define TAKE_AND_GIVE                                             \
    CALL CALL_IN "A acq m; A r x @a; A w x @b; A rel m; " CALL_IN \
                 "A acq m; A r x @c; A w x @d; A rel m; "

TEST(three_complete_updates_are_apart)
{
    CHECK_TEXT(found(TAKE_AND_GIVE "B acq m; B r x @e; B rel m"), "WRW ");
    CHECK_TEXT(found(TAKE_AND_GIVE "B acq m; B r x @e; B w x @f; B rel m"), "");
}

/* A waits for a condition after it has read the two variables, reads y again and writes it. */
#define WAITED(reads)                                                                \
    CALL "A acq m; " reads                                                           \
         "A wait-begin c text=m; A wait-end c text=m; A r y @b; A w y @c; A rel m; " \
         "B scope count=0 size=1 value=0; B acq m; B w y @d; B w x @e; B rel m"

TEST(a_test_that_is_made_again_behind_a_wait_is_apart)
{
    const struct atomicity_options o = {.skips_single = true};
    CHECK_TEXT(found_with(WAITED("A r y @b; A r x @a; "), o), "");
    CHECK_TEXT(found_with(WAITED("A r x @a; A r y @b; "), o), "P1 ");
}

TEST(without_scopes_nothing_is_apart)
{
    CHECK_TEXT(found(UPDATE READ OTHER_WRITES), "WWR ");
    CHECK_TEXT(found(UPDATE UPDATE OTHER_READS), "WRW ");
}
