#include "race/deadlock/deadlock.h"

#include <stdio.h>
#include <string.h>

#include "race/race.h"
#include "test.h"
#include "trace_of.h"

static struct race_stats stats;
static struct findings f;
static struct notes notes;

/* The deadlocks of a trace, as "grade key; ..." */
static const char *found_with(const char *text, struct race_options o)
{
    static char shown[800];
    size_t used = 0;
    struct err e = {0};
    o.skips_data = true;
    o.skips_messages = true;
    findings_release(&f);
    notes_release(&notes);
    f = (struct findings){0};
    notes = (struct notes){0};
    CHECK_INT(race_find(trace_of(text), &o, &f, &stats, &notes, &e), 0);
    shown[0] = '\0';
    vec_each (&f.list, finding) {
        CHECK_INT(finding->kind, FINDING_DEADLOCK);
        CHECK_INT(finding->status, STATUS_PREDICTED);
        used +=
            (size_t)snprintf(shown + used, sizeof shown - used, "%s%s %s", used == 0 ? "" : "; ",
                             finding_grade_name(finding->grade), strchr(finding->key, '|') + 1);
    }
    return shown;
}

static const char *found(const char *text)
{
    const char *shown = found_with(text, (struct race_options){0});
    CHECK_INT(stats.deadlock_places, f.list.count);
    return shown;
}

static void end(void)
{
    findings_release(&f);
    notes_release(&notes);
    f = (struct findings){0};
    notes = (struct notes){0};
}

/* ---- what is a deadlock ---- */

TEST(two_locks_in_both_orders_can_deadlock)
{
    CHECK_TEXT(found("A acq m @a1; A acq n @a2; A rel n; A rel m;"
                     "B acq n @b1; B acq m @b2; B rel m; B rel n"),
               "sound a1>a2|b1>b2");
    CHECK_INT(stats.deadlock_candidates, 1);
    CHECK_INT(stats.deadlocks, 1);
    CHECK_TEXT(f.list.at[0].what,
               "A holds m (taken at a1) and asks for n at a2, while B holds n (taken at b1) and "
               "asks for m at b2: each may wait for the other for ever");
    CHECK_INT(f.list.at[0].event_count, 4);
    end();
}

TEST(one_order_of_locks_cannot_deadlock)
{
    CHECK_TEXT(found("A acq m; A acq n; A rel n; A rel m; B acq m; B acq n; B rel n; B rel m"), "");
    CHECK_INT(stats.deadlock_candidates, 0);
    end();
}

TEST(one_task_cannot_deadlock_with_itself)
{
    CHECK_TEXT(found("A acq m; A acq n; A rel n; A rel m; A acq n; A acq m; A rel m; A rel n;"
                     "B acq m; B rel m; B acq n; B rel n"),
               "");
    end();
}

TEST(a_gate_lock_keeps_tasks_apart)
{
    CHECK_TEXT(found("A acq g; A acq m; A acq n; A rel n; A rel m; A rel g;"
                     "B acq g; B acq n; B acq m; B rel m; B rel n; B rel g"),
               "");
    /* A gate that one of them gives up before is none. */
    CHECK_TEXT(found("A acq g @0; A acq m @1; A rel g; A acq n @2; A rel n; A rel m;"
                     "B acq g @3; B acq n @4; B acq m @5; B rel m; B rel n; B rel g"),
               "sound 1>2|4>5");
    /* One that both hold for reading is none either. */
    CHECK_TEXT(found("A acq g @0 mode=read; A acq m @1; A acq n @2; A rel n; A rel m; A rel g;"
                     "B acq g @3 mode=read; B acq n @4; B acq m @5; B rel m; B rel n; B rel g;"
                     "C acq g @6 mode=write; C rel g"),
               "sound 1>2|4>5");
    end();
}

TEST(creation_join_and_messages_order_requests)
{
    CHECK_TEXT(found("A acq m; A acq n; A rel n; A rel m; A fork B; B begin;"
                     "B acq n; B acq m; B rel m; B rel n"),
               "");
    CHECK_TEXT(found("A fork B; B begin; B acq n; B acq m; B rel m; B rel n; B end; A join B;"
                     "A acq m; A acq n; A rel n; A rel m"),
               "");
    CHECK_TEXT(found("A acq m; A acq n; A rel n; A rel m; A snd c msg=1; B rcv c msg=1;"
                     "B acq n; B acq m; B rel m; B rel n"),
               "");
    /* The message is sent before: it orders nothing that matters. */
    CHECK_TEXT(found("A snd c msg=1; A acq m @1; A acq n @2; A rel n; A rel m; B rcv c msg=1;"
                     "B acq n @3; B acq m @4; B rel m; B rel n"),
               "sound 1>2|3>4");
    end();
}

/* Sections of one lock force an order of all events, not of those before a deadlock. */
TEST(an_order_that_only_all_events_have_hides_nothing)
{
    CHECK_TEXT(found("A acq a @1; A acq m @2; A snd c msg=1; A rel m; A rel a;"
                     "B acq m @3; B acq a @4; B rcv c msg=1; B rel a; B rel m"),
               "sound 1>2|3>4");
    end();
}

TEST(a_later_round_can_deadlock_where_the_first_is_ordered)
{
    CHECK_TEXT(found("A acq m @1; A acq n @2; A rel n; A rel m; A fork B; B begin;"
                     "B acq n @3; B acq m @4; B rel m; B rel n;"
                     "A acq m @1; A acq n @2; A rel n; A rel m"),
               "sound 1>2|3>4");
    end();
}

TEST(three_tasks_can_deadlock_in_a_cycle)
{
    CHECK_TEXT(found("A acq k @1; A acq l @2; A rel l; A rel k; B acq l @3; B acq m @4; B rel m;"
                     "B rel l; C acq m @5; C acq k @6; C rel k; C rel m"),
               "sound 1>2|3>4|5>6");
    CHECK_INT(f.list.at[0].event_count, 6);
    CHECK_TEXT(f.list.at[0].what,
               "A holds k (taken at 1) and asks for l at 2, while B holds l (taken at 3) and asks "
               "for m at 4 and C holds m (taken at 5) and asks for k at 6: each may wait for the "
               "next for ever");
    end();
}

/* ---- modes ---- */

TEST(readers_block_writers_only)
{
    static const struct {
        const char *modes[4];
        bool is_found;
    } rows[] = {
        {{"read", "read", "read", "read"}, false},  {{"read", "write", "read", "write"}, true},
        {{"write", "read", "read", "read"}, false}, {{"write", "write", "read", "read"}, true},
        {{"write", "read", "write", "read"}, true}, {{"read", "write", "read", "read"}, false},
        {{"read", "read", "write", "write"}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        const char *const *m = rows[i].modes;
        (void)snprintf(text, sizeof text,
                       "A acq m @1 mode=%s; A acq n @2 mode=%s; A rel n; A rel m;"
                       "B acq n @3 mode=%s; B acq m @4 mode=%s; B rel m; B rel n;"
                       "C acq m @5 mode=write; C rel m; C acq n @6 mode=write; C rel n",
                       m[0], m[1], m[2], m[3]);
        CHECK_TEXT(found(text), rows[i].is_found ? "sound 1>2|3>4" : "");
    }
    end();
}

TEST(a_try_never_blocks_but_holds)
{
    CHECK_TEXT(found("A acq m; A acq n mode=try-mutex; A rel n; A rel m;"
                     "B acq n; B acq m; B rel m; B rel n"),
               "");
    CHECK_TEXT(found("A acq m @1 mode=try-mutex; A acq n @2; A rel n; A rel m;"
                     "B acq n @3; B acq m @4; B rel m; B rel n"),
               "sound 1>2|3>4");
    end();
}

TEST(semaphores_that_are_used_as_locks_can_deadlock)
{
    CHECK_TEXT(found("M sem-init s value=1; M sem-init t value=1; M fork A; M fork B;"
                     "A sem-wait s @1 mode=blocking; A sem-wait t @2 mode=blocking; A sem-post t;"
                     "A sem-post s; B sem-wait t @3 mode=blocking; B sem-wait s @4 mode=blocking;"
                     "B sem-post s; B sem-post t"),
               "sound 1>2|3>4");
    /* A try, or one that lets two in. */
    CHECK_TEXT(found("M sem-init s value=1; M sem-init t value=1; M fork A; M fork B;"
                     "A sem-wait s @1 mode=blocking; A sem-wait t @2 mode=blocking; A sem-post t;"
                     "A sem-post s; B sem-wait t @3 mode=blocking; B sem-wait s @4;"
                     "B sem-post s; B sem-post t"),
               "");
    CHECK_TEXT(found("M sem-init s value=2; M sem-init t value=1; M fork A; M fork B;"
                     "A sem-wait s @1 mode=blocking; A sem-wait t @2 mode=blocking; A sem-post t;"
                     "A sem-post s; B sem-wait t @3 mode=blocking; B sem-wait s @4 mode=blocking;"
                     "B sem-post s; B sem-post t"),
               "");
    end();
}

TEST(taking_a_held_lock_again_asks_for_nothing)
{
    CHECK_TEXT(found("A acq m; A acq n; A acq m; A rel m; A rel n; A rel m;"
                     "B acq m; B acq n; B rel n; B rel m"),
               "");
    end();
}

TEST(the_end_of_a_wait_asks_for_its_lock_again)
{
    CHECK_TEXT(found("order exact; A acq m @1; A acq n @2; A wait c lock=m; B acq m @3; B notify c;"
                     "B rel m; A woken c lock=m @4; A rel n; A rel m;"
                     "B acq m @5; B acq n @6; B rel n; B rel m"),
               "sound 2>4|5>6");
    end();
}

TEST(locks_of_processes_deadlock_across_nodes)
{
    CHECK_TEXT(found("A@p acq m @1 mode=fcntl-write; A@p acq n @2 mode=fcntl-write; A@p rel n "
                     "mode=fcntl-write; A@p rel m mode=fcntl-write;"
                     "B@q acq n @3 mode=fcntl-write; B@q acq m @4 mode=fcntl-write; B@q rel m "
                     "mode=fcntl-write; B@q rel n mode=fcntl-write"),
               "sound 1>2|3>4");
    /* Within a process an fcntl lock blocks nobody; a mutex of two nodes is two. */
    CHECK_TEXT(found("A@p acq m @1 mode=fcntl-write; A@p acq n @2 mode=fcntl-write; A@p rel n "
                     "mode=fcntl-write; A@p rel m mode=fcntl-write;"
                     "B@p acq n @3 mode=fcntl-write; B@p acq m @4 mode=fcntl-write; B@p rel m "
                     "mode=fcntl-write; B@p rel n mode=fcntl-write"),
               "");
    CHECK_TEXT(found("A@p acq m; A@p acq n; A@p rel n; A@p rel m;"
                     "B@q acq n; B@q acq m; B@q rel m; B@q rel n"),
               "");
    end();
}

/* ---- grades and models ---- */

/* B takes the other order only because it saw A's write, which A makes behind its own locks. */
static const char *const infeasible =
    "order exact; A acq m @1; A acq n @2; A rel n; A rel m; A w x @3; B r x @4;"
    "B acq n @5; B acq m @6; B rel m; B rel n";

TEST(what_a_read_contradicts_may_be_a_deadlock)
{
    CHECK_TEXT(found(infeasible), "may 1>2|5>6");
    CHECK(strstr(f.list.at[0].why, "with other values the program may not get here") != NULL);
    CHECK_TEXT(found_with(infeasible, (struct race_options){.model = RACE_SOUND}), "");
    CHECK_INT(stats.unknown, 0);
    CHECK_TEXT(found_with(infeasible, (struct race_options){.model = RACE_FEASIBLE}), "");
    CHECK_INT(stats.deadlocks, 0);
    CHECK_INT(stats.deadlock_candidates, 1);
    end();
}

/* B's first section of g must come before A's, which the list has the other way round. */
TEST(another_order_of_sections_is_found_by_search)
{
    const char *text = "order exact; A acq m @1; A acq g @7; A rel g; A acq n @2; A rel n; A rel m;"
                       "B acq g @8; B acq n @3; B rel g; B acq m @4; B rel m; B rel n";
    CHECK_TEXT(found(text), "sound 1>2|3>4");
    CHECK_TEXT(found_with(text, (struct race_options){.model = RACE_FEASIBLE}), "sound 1>2|3>4");
    end();
}

TEST(a_witness_ends_in_the_requests)
{
    (void)found_with(
        "order exact; A acq m @1; A acq n @2; A rel n; A rel m; B acq n @3; B acq m @4;"
        "B rel m; B rel n",
        (struct race_options){.wants_witness = true});
    CHECK_INT(f.list.count, 1);
    const uint64_t wanted[] = {0, 4, 1, 5};
    CHECK_INT(f.list.at[0].witness_count, 4);
    CHECK(memcmp(f.list.at[0].witness, wanted, sizeof wanted) == 0);
    end();
}

/* ---- findings ---- */

TEST(cycles_at_the_same_places_are_one_finding)
{
    const char *text = "A acq m @1; A acq n @2; A rel n; A rel m; B acq n @1; B acq m @2; B rel m;"
                       "B rel n; C acq k @1; C acq l @2; C rel l; C rel k; D acq l @1; D acq k @2;"
                       "D rel k; D rel l";
    CHECK_TEXT(found(text), "sound 1>2");
    CHECK_INT(f.list.at[0].pair_count, 2);
    CHECK_INT(stats.deadlocks, 2);
    CHECK_TEXT(found_with(text, (struct race_options){.wants_pairs = true}),
               "sound 1>2; sound 1>2");
    end();
}

TEST(locks_without_places_are_told_apart_by_name)
{
    CHECK_TEXT(found("A acq m; A acq n; A rel n; A rel m; B acq n; B acq m; B rel m; B rel n;"
                     "A acq k; A acq l; A rel l; A rel k; B acq l; B acq k; B rel k; B rel l"),
               "sound ?>?>m|?>?>n; sound ?>?>k|?>?>l");
    end();
}

/* Every two of many tasks take every two of many locks: more cycles than anybody wants. */
TEST(too_many_cycles_are_cut_and_said_to_be)
{
    enum { TASKS = 24, LOCKS = 8 };
    static char text[TASKS * LOCKS * LOCKS * 60];
    size_t used = 0;
    for (unsigned task = 0; task < TASKS; task++) {
        for (unsigned a = 0; a < LOCKS; a++) {
            for (unsigned b = 0; b < LOCKS; b++) {
                if (a != b) {
                    used += (size_t)snprintf(text + used, sizeof text - used,
                                             "T%u acq m%u @1; T%u acq m%u @2; T%u rel m%u;"
                                             "T%u rel m%u;",
                                             task, a, task, b, task, b, task, a);
                }
            }
        }
    }
    CHECK_TEXT(found(text), "sound 1>2");
    CHECK_INT(stats.unknown, 1);
    CHECK_INT(notes.list.count, 1);
    CHECK(strstr(notes.list.at[0].text, "too many cycles") != NULL);
    end();
}
