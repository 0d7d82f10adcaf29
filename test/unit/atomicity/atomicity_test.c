#include "atomicity/atomicity.h"

#include "test.h"
#include "trace_of.h"
#include "wire/kind.h"

static struct atomicity_stats stats; /* of the last search */

/* The patterns of what is found, with the places of their accesses as they come, a "; " between. */
static const char *found_with(const char *text, struct atomicity_options o)
{
    static char shown[2000];
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    size_t used = 0;
    shown[0] = '\0';
    stats = (struct atomicity_stats){0};
    CHECK_INT(atomicity_find(trace_of(text), &o, &f, &stats, &n, &e), 0);
    vec_each (&f.list, finding) {
        const char *pattern = strchr(finding->key, '|') + 1;
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%.*s", used == 0 ? "" : "; ",
                                 (int)strcspn(pattern, "|"), pattern);
        for (size_t i = 0; i < finding->event_count; i++) {
            used += (size_t)snprintf(shown + used, sizeof shown - used, " %s",
                                     finding->events[i].location);
        }
    }
    findings_release(&f);
    notes_release(&n);
    return shown;
}

static const char *found(const char *text)
{
    return found_with(text, (struct atomicity_options){.skips_merged = true});
}

static const char *single(const char *text)
{
    return found_with(text, (struct atomicity_options){.skips_pairs = true});
}

/* ---- one variable ---- */

TEST(each_of_the_five_patterns_is_found)
{
    CHECK_TEXT(single("A r x @a; A r x @b; B w x @c"), "RWR a c b");
    CHECK_TEXT(single("A w x @a; A r x @b; B w x @c"), "WWR a c b");
    CHECK_TEXT(single("A r x @a; A w x @b; B w x @c"), "RWW a c b");
    CHECK_TEXT(single("A w x @a; A w x @b; B r x @c"), "WRW a c b");
    CHECK_TEXT(single("A w x @a; A w x @b; B w x @c"), "WWW a c b");
    CHECK_TEXT(single("A r x @a; A r x @b; B r x @c; A w y"), "");
}

TEST(an_intermediate_value_is_seen_between_writes_with_reads_around)
{
    CHECK_TEXT(single("A w x @a; A r x @b; A w x @c; B r x @d"), "WRW a d c");
}

TEST(a_lock_held_throughout_keeps_others_out)
{
    CHECK_TEXT(single("A acq m; A r x @a; A w x @b; A rel m; B acq m; B w x @c; B rel m"), "");
    CHECK_TEXT(single("A acq m; A r x @a; A w x @b; A rel m; B w x @c"), "RWW a c b");
    CHECK_TEXT(single("A acq m; A r x @a; A rel m; A acq m; A w x @b; A rel m; "
                      "B acq m; B r x @c; B w x @d; B rel m"),
               "RWW a d b");
}

/* The end of B's wait takes m, which nobody holds at an access: C must get it before it reads. */
TEST(the_end_of_a_wait_takes_a_lock_that_guards_no_access)
{
    CHECK_TEXT(single("B acq m; B wait q lock=m; A acq m; A rel m; A notify q; C acq m; C rel m; "
                      "C r x @a; C w x @b; B woken q lock=m; B rel m; B w x @c"),
               "RWW a c b");
}

TEST(accesses_of_two_operations_are_no_couple)
{
    CHECK_TEXT(single("A acq m; A r x @a; A w x @b; A rel m; A operation; A acq m; A r x @a; "
                      "A w x @b; A rel m; B acq m; B r x @c; B w x @d; B rel m"),
               "");
    CHECK_TEXT(single("A acq m; A w x @a; A rel m; A operation; A acq m; A w x @a; A rel m; "
                      "B acq m; B w x @b; B rel m"),
               "");
}

TEST(a_task_that_tells_no_operations_is_one)
{
    /* An assertion in the getter makes both sections access x twice. */
    CHECK_TEXT(single("A acq m; A r x @a; A r x @b; A rel m; A acq m; A r x @c; A w x @d; A rel m; "
                      "B acq m; B r x @e; B w x @f; B rel m"),
               "RWR b f c");
}

TEST(an_operation_goes_on_after_another)
{
    CHECK_TEXT(single("A r x @a; A operation; A r y; A operation count=1; A w x @b; B w x @c"),
               "RWW a c b");
    CHECK_TEXT(single("A r x @a; A operation; A r y; A operation; A w x @b; B w x @c"), "");
}

TEST(a_lock_or_a_region_across_operations_makes_a_couple)
{
    CHECK_TEXT(single("A acq m; A r x @a; A operation; A w x @b; A rel m; B w x @c"), "RWW a c b");
    CHECK_TEXT(single("A atomic-begin t; A r x @a; A operation; A w x @b; A atomic-end t; "
                      "B w x @c"),
               "RWW a c b");
    CHECK_TEXT(single("A atomic-begin t; A r x @a; A atomic-end t; A operation; A atomic-begin t; "
                      "A w x @b; A atomic-end t; B w x @c"),
               "");
}

TEST(couples_of_two_operations_are_counted_and_told_on_demand)
{
    static const char text[] = "A acq m; A r x @a; A rel m; A operation; A acq m; A r x @a; "
                               "A rel m; B acq m; B w x @b; B rel m";
    CHECK_TEXT(single(text), "");
    CHECK_INT(stats.rounds, 1);
    CHECK_TEXT(
        found_with(text, (struct atomicity_options){.skips_pairs = true, .wants_rounds = true}),
        "RWR a b a");
    CHECK_INT(stats.rounds, 0);
    CHECK_TEXT(single("A acq m; A r x @a; A rel m; A operation; A acq m; A r x @a; A rel m; "
                      "B acq m; B r x @b; B rel m; C w y"),
               "");
    CHECK_INT(stats.rounds, 0);
}

TEST(what_is_not_looked_at_is_counted)
{
    static const char text[] = "A r x @a; A w x @b; B w x @c; A r y @d; A w y @e; B w y @f";
    static const volatile sig_atomic_t is_stopped = 1;
    const struct limit budget = {.is_stopped = &is_stopped};
    CHECK_TEXT(found_with(text, (struct atomicity_options){.skips_pairs = true, .budget = &budget}),
               "");
    CHECK_INT(stats.unseen, 2);
    CHECK(stats.is_cut);
    CHECK_TEXT(single(text), "RWW a c b; RWW d f e");
    CHECK_INT(stats.unseen, 0);
    CHECK(!stats.is_cut);
}

TEST(a_long_trace_is_asked_in_parts)
{
    static const char text[] = "A acq m; A r x @a; A rel m; C w z; A acq m; A w x @b; A rel m; "
                               "C w z; B acq m; B w x @c; B rel m; C w z";
    CHECK_TEXT(found_with(text, (struct atomicity_options){.skips_pairs = true, .mark_max = 1}),
               "RWW a c b");
}

TEST(what_always_comes_between_was_meant_to)
{
    CHECK_TEXT(single("A w x @a; A fork B; B w x @b; B end; A join B; A r x @c"), "");
    CHECK_TEXT(single("A w x @a; A post s; B down s; B w x @b; A r x @c"), "WWR a b c");
}

/* ---- atomics ---- */

TEST(a_load_and_a_store_of_an_atomic_are_a_couple)
{
    CHECK_TEXT(single("A ld x @a mode=relaxed; A st x @b mode=relaxed; B st x @c mode=relaxed"),
               "RWW a c b");
    CHECK_TEXT(single("A ld x @a mode=relaxed; A rmw x @b mode=add-relaxed; "
                      "B rmw x @c mode=add-relaxed"),
               "RWW a c b");
    CHECK_TEXT(single("A rmw x @a mode=add-relaxed; A ld x @b mode=relaxed; "
                      "B rmw x @c mode=add-relaxed"),
               "WWR a c b");
}

/* Compare-and-exchange loops, polls, locks, counters and flags are how atomics are used. */
TEST(a_plain_read_before_an_atomic_update_is_a_check)
{
    static const char update[] =
        "A r x @a; A rmw x @b mode=add-relaxed; B rmw x @c mode=add-relaxed";
    char text[200];
    CHECK_TEXT(single(update), "RWW a c b");
    snprintf(text, sizeof text, "A w x; A fork B; %s", update);
    CHECK_TEXT(single(text), "RWW a c b");
    snprintf(text, sizeof text, "A w x; A w x; A fork B; %s", update);
    CHECK_TEXT(single(text), "");
    CHECK_TEXT(single("A r x @a; A rmw x @b mode=relaxed; B rmw x @c mode=relaxed"), "");
    CHECK_TEXT(single("A r x @a; A r x @b; B rmw x @c mode=relaxed"), "");
}

TEST(other_couples_of_an_atomic_are_not)
{
    CHECK_TEXT(single("A ld x mode=relaxed; A rmw x mode=relaxed; B rmw x mode=relaxed"), "");
    CHECK_TEXT(single("A ld x mode=relaxed; A ld x mode=relaxed; B st x mode=relaxed"), "");
    CHECK_TEXT(single("A st x mode=relaxed; A ld x mode=relaxed; B st x mode=relaxed"), "");
    CHECK_TEXT(single("A rmw x mode=relaxed; A st x mode=relaxed; B ld x mode=relaxed"), "");
    CHECK_TEXT(single("A rmw x mode=add-relaxed; A rmw x mode=add-relaxed; B ld x mode=relaxed"),
               "");
}

TEST(a_counter_nobody_looks_at_hides_nothing)
{
    CHECK_TEXT(single("A rmw n mode=add-seq-cst; A r x @a; A w x @b; A rmw n mode=add-seq-cst; "
                      "B rmw n mode=add-seq-cst; B w x @c; B rmw n mode=add-seq-cst"),
               "RWW a c b");
    /* a spin lock orders */
    CHECK_TEXT(single("A rmw l; A r x; A w x; A st l; B rmw l; B r x; B w x; B st l"), "");
}

/* ---- what is settled ---- */

/* The same where everything is asked for. */
static const char *all(const char *text)
{
    return found_with(text, (struct atomicity_options){.skips_pairs = true, .wants_settled = true});
}

TEST(creating_or_joining_a_task_settles_a_conflict)
{
    static const char create[] = "A w x @a; A fork B; B w x @b; B end; A r x @c";
    static const char join[] = "A fork B; A r x @a; B w x @b; B end; A join B; A w x @c";
    CHECK_TEXT(single(create), "");
    CHECK_INT(stats.settled[SETTLED_CREATION], 1);
    CHECK_TEXT(all(create), "WWR a b c");
    CHECK_TEXT(single(join), "");
    CHECK_INT(stats.settled[SETTLED_CREATION], 1);
    CHECK_TEXT(single("A fork B; A r x @a; B w x @b; B end; A w x @c; A join B"), "RWW a b c");
}

TEST(a_block_is_private_until_its_task_releases_something)
{
    static const char text[] = "A alloc p.c:1#1; A w p.c:1#1 @a; A acq m; A rel m; A r p.c:1#1 @b; "
                               "B w p.c:1#1 @c";
    CHECK_TEXT(single(text), "");
    CHECK_INT(stats.settled[SETTLED_PUBLICATION], 1);
    CHECK_TEXT(all(text), "WWR a c b");
    CHECK_TEXT(single("A alloc p.c:1#1; A acq m; A rel m; A w p.c:1#1 @a; A r p.c:1#1 @b; "
                      "B w p.c:1#1 @c"),
               "WWR a c b");
}

TEST(freeing_a_block_is_no_part_of_a_couple)
{
    static const char text[] = "B w p.c:1#1 @c; A r p.c:1#1 @a; A w p.c:1#1 @f; A free p.c:1#1 @f";
    CHECK_TEXT(single(text), "");
    CHECK_INT(stats.settled[SETTLED_FREE], 1);
    CHECK_TEXT(all(text), "RWW a c f");
}

/* A queue: B knows the block only because it read `queue` after A had written it. */
TEST(a_block_that_is_handed_over_is_ordered)
{
    static const char text[] = "A r p.c:1#1 @a; A w p.c:1#1 @b; A acq m; A w queue; A rel m; "
                               "B acq m; B r queue; B rel m; B r p.c:1#1 @c; B w p.c:1#1 @d";
    CHECK_TEXT(single(text), "");
    CHECK_INT(stats.settled[SETTLED_HANDOVER], 2);
    CHECK_TEXT(all(text), "RWW a d b; RWW c b d");
    /* no lock in common, a counter, or a variable that is no part of a block: nothing is known */
    CHECK_TEXT(single("A r p.c:1#1 @a; A w p.c:1#1 @b; A acq m; A w queue; A rel m; "
                      "B acq k; B r queue; B rel k; B w p.c:1#1 @d"),
               "RWW a d b");
    CHECK_TEXT(single("A r p.c:1#1 @a; A w p.c:1#1 @b; A acq m; A r n @n; A w n @n; A rel m; "
                      "B acq m; B r n @n; B w n @n; B rel m; B w p.c:1#1 @d"),
               "RWW a d b");
    CHECK_TEXT(single("A r x @a; A w x @b; A acq m; A w queue; A rel m; "
                      "B acq m; B r queue; B rel m; B w x @d"),
               "RWW a d b");
}

TEST(what_orders_tasks_keeps_accesses_apart)
{
    CHECK_TEXT(single("A r x @a; A w x @b; A fork B; B w x @c"), "");
    CHECK_TEXT(single("A r x @a; A w x @b; A post s; B down s; B w x @c"), "");
    CHECK_TEXT(single("A r x @a; A w x @b; A enter p; B enter p; A leave p; B leave p; B w x @c"),
               "");
}

TEST(memory_allocated_again_is_another_variable)
{
    CHECK_TEXT(single("A w p @a; A r p @b; A free p; B alloc p; B w p @c"), "");
}

/* ---- two variables ---- */

TEST(the_patterns_of_two_variables_are_found)
{
    CHECK_TEXT(found("A r x @a; A w y @b; B w x @c; B r y @d"), "P1 a c d b; P4 c a b d");
    CHECK_TEXT(found("A r x @a; A r y @b; B w x @c; B w y @d"), "P2 a c d b; P3 c a b d");
    CHECK_TEXT(found("A w x @a; A w y @b; B r x @c; B r y @d"), "P3 a c d b; P2 c a b d");
    CHECK_TEXT(found("A w x @a; A r y @b; B r x @c; B w y @d"), "P4 a c d b; P1 c a b d");
}

TEST(a_pair_in_one_section_is_safe_from_one_in_another)
{
    CHECK_TEXT(found("A acq m; A w x @a; A w y @b; A rel m; B acq m; B w x @c; B w y @d; B rel m"),
               "");
}

TEST(a_stale_read_is_a_kind_of_its_own)
{
    CHECK_TEXT(found("A r x @a; A w y @b; B w x @c"), "");
    CHECK_TEXT(found("A r /x @a; A w /y @b; B w /x @c"), "stale a c b");
}

TEST(stale_reads_of_memory_are_left_out_when_asked_for)
{
    const struct atomicity_options o = {.skips_merged = true, .skips_stale_memory = true};
    const char *text = "M fork A; M fork B; A r x @a; A w y @b; B w x @c; A end; M join A; M r y";
    CHECK_TEXT(found(text), "stale a c b");
    CHECK_TEXT(found_with(text, o), "");
    CHECK_TEXT(found_with("A r /x @a; A w /y @b; B w /x @c", o), "stale a c b");
}

TEST(merged_pairs_are_told_when_asked_for)
{
    const char *text = "A w x @a; A r y @b; A w y @e; B w y @c; B r x @d";
    const char *merged = found_with(text, (struct atomicity_options){0});
    CHECK_INT(stats.merged > 0, true);
    CHECK(strstr(merged, "merged") != NULL);
    CHECK(strstr(found_with(text, (struct atomicity_options){.skips_merged = true}), "merged") ==
          NULL);
}

TEST(given_pairs_that_the_trace_does_not_have_are_noted)
{
    static const struct atomicity_pair pairs[] = {
        {.x = "x", .y = "y"}, {.x = "x", .y = "z"}, {.x = "w", .y = "z"}};
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct atomicity_options o = {.pairs = pairs, .pair_count = 3, .skips_single = true};
    for (int i = 0; i < 2; i++) {
        stats = (struct atomicity_stats){0};
        o.notes_absent = i == 1;
        CHECK_INT(atomicity_find(trace_of("A r x; A r y; B w x; B w y"), &o, &f, &stats, &n, &e),
                  0);
        CHECK_INT(stats.pairs, 1);
        CHECK_INT(n.list.count, i);
    }
    CHECK_INT(n.list.at[0].count, 2);
    CHECK_TEXT(n.list.at[0].place, "z");
    findings_release(&f);
    notes_release(&n);
}

TEST(given_pairs_are_looked_at_and_no_others)
{
    const struct atomicity_pair pair = {.x = "x", .y = "y"};
    const char *text = "A w x @a; A w y @b; A w z @c; B r x @d; B r y @e; B r z @f";
    CHECK_TEXT(found_with(text, (struct atomicity_options){.pairs = &pair,
                                                           .pair_count = 1,
                                                           .skips_merged = true}),
               "P3 a d e b; P2 d a b e");
    CHECK_INT(stats.pairs, 1);
}

TEST(the_same_model_is_analysed_once)
{
    struct names seen;
    names_init(&seen);
    const struct atomicity_options o = {.seen = &seen, .skips_merged = true};
    CHECK_TEXT(found_with("A r x @a; A w x @b; B w x @c", o), "RWW a c b");
    CHECK_INT(stats.same, 0);
    CHECK_TEXT(found_with("B r x @a; A w x @c; B w x @b", o), "");
    CHECK_INT(stats.same, 1);
    CHECK_TEXT(found_with("B r x @a; A w x @d; B w x @b", o), "RWW a d b");
    names_release(&seen);
}

/* ---- grades ---- */

static enum finding_grade grade_of(const char *text)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    stats = (struct atomicity_stats){0};
    CHECK_INT(atomicity_find(trace_of(text), &(struct atomicity_options){.skips_pairs = true}, &f,
                             &stats, &n, &e),
              0);
    CHECK_INT(f.list.count, 1);
    const enum finding_grade grade = f.list.at[0].grade;
    findings_release(&f);
    notes_release(&n);
    return grade;
}

TEST(a_finding_is_sound_when_reads_see_what_they_saw)
{
    CHECK_INT(grade_of("A r x @a; A w x @b; B w x @c"), GRADE_SOUND);
    CHECK_INT(grade_of("A acq m; A r x @a; A rel m; A acq m; A w x @b; A rel m; "
                       "B acq m; B r x @c; B w x @d; B rel m"),
              GRADE_MAY);
    CHECK_INT(grade_of("order stamped; A r x @a; A w x @b; B w x @c"), GRADE_MAY);
}

TEST(the_solver_finds_another_execution_where_the_first_does_not_keep_reads)
{
    /* C's read of y must see B's write; the order that is found first may have it otherwise. */
    CHECK_INT(grade_of("B w y @y; C r y @z; C w q; A r x @a; A w x @b; C w x @c"), GRADE_SOUND);
}

/* ---- resources ---- */

/* R a read, W a plain write, C a conditional write of the version that was read. */
TEST(a_version_check_prevents_what_it_checks)
{
    CHECK_TEXT(single("A r /x @a text=1; A w /x @b mode=conditional text=1; B w /x @c"), "");
    CHECK_TEXT(single("A r /x @a text=1; A w /x @b mode=conditional text=1; "
                      "B r /x @c text=2; B w /x @d mode=conditional text=2"),
               "");
}

TEST(a_plain_write_loses_an_update)
{
    CHECK_TEXT(single("A r /x @a text=1; A w /x @b; B w /x @c"), "RWW a c b");
    CHECK_TEXT(single("A r /x @a text=1; A w /x @b; "
                      "B r /x @c text=2; B w /x @d mode=conditional text=2"),
               "RWW a d b");
}

TEST(versions_do_not_help_other_patterns)
{
    CHECK_TEXT(single("A r /x @a text=1; A r /x @b text=1; "
                      "B r /x @c text=1; B w /x @d mode=conditional text=1"),
               "RWR a d b");
    CHECK_TEXT(single("A w /x @a; A r /x @b; B w /x @c"), "WWR a c b");
    CHECK_TEXT(single("A w /x @a; A w /x @b; B r /x @c"), "WRW a c b");
    CHECK_TEXT(single("A w /x @a; A w /x @b; B w /x @c"), "WWW a c b");
}

TEST(a_version_of_another_read_protects_nothing)
{
    CHECK_TEXT(single("A r /x @a text=1; A w /x @b mode=conditional text=9; B w /x @c"),
               "RWW a c b");
}

TEST(a_refused_write_shows_that_all_are_checked)
{
    CHECK_TEXT(single("A r /x @a; A w /x @b; B r /x @c; B w /x @d; "
                      "C request /x mode=PUT msg=1; C response /x mode=PUT msg=1 value=412 "
                      "text=conflict"),
               "");
}

TEST(a_lock_resource_is_a_lock)
{
    CHECK_TEXT(single("A acq /locks/x; A r /x @a; A w /x @b; A rel /locks/x; "
                      "B acq /locks/x; B r /x @c; B w /x @d; B rel /locks/x"),
               "");
}

TEST(a_resource_conflicts_with_those_below_it)
{
    CHECK_TEXT(single("A r /a @a; A r /a @b; B w /a/b @c"), "RWR a c b");
    CHECK_TEXT(single("A r /a/b @a; A w /a/b @b; B w /a @c"), "RWW a c b");
    CHECK_TEXT(single("A r /a/b @a; A w /a/b @b; B w /a/c @c"), "");
    CHECK_TEXT(single("A r /ab @a; A w /ab @b; B w /a @c"), "");
}

TEST(lost_updates_of_resources_are_counted)
{
    (void)single("A r /x @a; A w /x @b; B w /x @c");
    CHECK_INT(stats.lost_update, 1);
    (void)single("A r x @a; A w x @b; B w x @c");
    CHECK_INT(stats.lost_update, 0);
    CHECK_INT(stats.single, 1);
}

/* ---- traces without accesses ---- */

TEST(a_trace_without_accesses_is_unknown)
{
    CHECK_TEXT(found("A acq m; A rel m; B acq m; B rel m"), "");
    CHECK_INT(stats.unobserved, 1);
    CHECK_TEXT(found("A acq m; A r x; A rel m; B acq m; B rel m"), "");
    CHECK_INT(stats.unobserved, 0);
}

/* ---- accesses that were lost ---- */

static uint64_t lost_in(const char *list)
{
    (void)found(list);
    return stats.lost;
}

TEST(a_lost_access_matters_if_another_task_could_come_between)
{
    CHECK_INT(lost_in("A lost x @a; A r x @b; B w x @c"), 1);
    CHECK_INT(lost_in("A lost x @a; A r x @b; B r x @c"), 0);
    CHECK_INT(lost_in("A lost x @a; A w x @b; B r x @c"), 1);
    CHECK_INT(lost_in("A lost x @a; A r y @b; B w y @c"), 0);
    CHECK_INT(lost_in("A lost x @a; A r x @b; A w x @d; B w x @c; B r x @e"), 1);
}

TEST(a_lost_access_does_not_matter_if_the_order_is_settled)
{
    CHECK_INT(lost_in("A lost x @a; A r x @b; A fork B; B w x @c"), 0);
    CHECK_INT(lost_in("A fork B; A lost x @a; A r x @b; A end; B join A; B w x @c"), 0);
    CHECK_INT(lost_in("A lost x @a; A r x @b; A post s; B down s; B w x @c"), 0);
    CHECK_INT(lost_in("A lost x @a; A post s; A r x @b; B down s; B w x @c"), 1);
    CHECK_INT(lost_in("A alloc p#1; A lost p#1+8 @a; A w p#1+8 @b; A acq m; A rel m; "
                      "B acq m; B rel m; B w p#1+8 @c"),
              0);
    CHECK_INT(lost_in("A alloc p#1; A acq m; A rel m; A lost p#1+8 @a; A w p#1+8 @b; A acq m; "
                      "A w q @d; A rel m; B acq m; B r q @e; B rel m; B w p#1+8 @c"),
              0);
}

TEST(a_recorded_process_with_threads_and_no_accesses_is_unknown)
{
    struct trace t;
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    stats = (struct atomicity_stats){0};
    trace_init(&t);
    t.tables.order = ORDER_STAMPED;
    static const char *const tasks[] = {"main@built", "main/1@built", "main@plain", "main/1@plain"};
    for (size_t i = 0; i < 4; i++) {
        const uint32_t task = tables_task_text(&t.tables, tasks[i], strlen(tasks[i]));
        trace_append(&t, &(struct event){.kind = EVENT_THREAD_START, .task = task});
        if (i == 0) {
            trace_append(&t, &(struct event){.kind = EVENT_COVERAGE, .task = task});
        }
    }
    trace_seal(&t);
    CHECK_INT(atomicity_find(&t, &(struct atomicity_options){0}, &f, &stats, &n, &e), 0);
    CHECK_INT(stats.unobserved, 1);
    CHECK_TEXT(n.list.at[0].place, "plain");
    findings_release(&f);
    notes_release(&n);
    trace_release(&t);
}
