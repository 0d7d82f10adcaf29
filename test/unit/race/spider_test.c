/* SPIDER's ways to tell message races: as published, and as its dissertation defines them. */
#include "race/compat/spider.h"

#include "test.h"
#include "trace_of.h"

static struct race_stats stats; /* of the last search */

/* What is found among messages: how many pairs race, and the keys of the accesses in conflict. */
static size_t race_count(const char *text, enum race_compat compat, char keys[256])
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    size_t used = 0;
    keys[0] = '\0';
    stats = (struct race_stats){0};
    const struct race_options o = {.compat = compat, .skips_data = true};
    CHECK_INT(race_find(trace_of(text), &o, &f, &stats, &n, &e), 0);
    vec_each (&f.list, finding) {
        used += (size_t)snprintf(keys + used, 256 - used, "%s%s", used == 0 ? "" : "; ",
                                 strchr(finding->key, '|') + 1);
    }
    findings_release(&f);
    notes_release(&n);
    return stats.message_races;
}

static void check_races(const char *text, size_t published, size_t paper)
{
    char keys[256];
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER, keys), published);
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER_PAPER, keys), paper);
}

TEST(messages_of_two_tasks_race_either_way)
{
    check_races("A snd a>c mode=udp msg=1; B snd b>c mode=udp msg=2;"
                "C rcv a>c mode=udp msg=1; C rcv b>c mode=udp msg=2",
                1, 1);
}

TEST(in_the_paper_ordered_sends_never_race)
{
    /* Of one task. */
    check_races("A snd a>c mode=udp msg=1; A snd a>c mode=udp msg=2;"
                "C rcv a>c mode=udp msg=1; C rcv a>c mode=udp msg=2",
                1, 0);
    /* Of two, the second asked by the first: its message may still be the faster one. */
    check_races("A snd a>c mode=udp msg=1; A snd a>b mode=udp msg=go;"
                "B rcv a>b mode=udp msg=go; B snd b>c mode=udp msg=2;"
                "C rcv a>c mode=udp msg=1; C rcv b>c mode=udp msg=2",
                1, 0);
    /* Of a task and of the one it creates. */
    check_races("A snd a>c mode=udp msg=1; A fork B; B begin; B snd b>c mode=udp msg=2;"
                "C rcv a>c mode=udp msg=1; C rcv b>c mode=udp msg=2",
                1, 0);
}

TEST(an_answer_to_the_first_message_races_with_it_in_neither)
{
    check_races("A snd a>c mode=udp msg=1; C rcv a>c mode=udp msg=1; C snd c>b mode=udp msg=go;"
                "B rcv c>b mode=udp msg=go; B snd b>c mode=udp msg=2; C rcv b>c mode=udp msg=2",
                0, 0);
}

TEST(in_the_paper_sends_under_one_lock_are_never_at_one_time)
{
    check_races("A@n acq m; A@n snd a>c mode=udp msg=1; A@n rel m;"
                "B@n acq m; B@n snd b>c mode=udp msg=2; B@n rel m;"
                "C rcv a>c mode=udp msg=1; C rcv b>c mode=udp msg=2",
                1, 0);
    check_races("A@n acq m; A@n snd a>c mode=udp msg=1; A@n rel m;"
                "B@n acq k; B@n snd b>c mode=udp msg=2; B@n rel k;"
                "C rcv a>c mode=udp msg=1; C rcv b>c mode=udp msg=2",
                1, 1);
}

TEST(messages_that_two_handlers_of_one_task_send_race)
{
    check_races("M snd m>a mode=udp msg=x; N snd n>a mode=udp msg=y;"
                "A rcv m>a mode=udp msg=x; A hb; A snd a>c mode=udp msg=1; A he;"
                "A rcv n>a mode=udp msg=y; A hb; A snd a>c mode=udp msg=2; A he;"
                "C rcv a>c mode=udp msg=1; C rcv a>c mode=udp msg=2",
                2, 2); /* x and y, 1 and 2 */
}

TEST(in_the_paper_the_receiver_is_a_task_as_published_an_address)
{
    check_races("A snd a>c mode=udp msg=1; B snd b>c mode=udp msg=2;"
                "C rcv a>c mode=udp msg=1; D rcv b>c mode=udp msg=2",
                1, 0);
    CHECK_INT(stats.message_candidates, 0);
    check_races("A snd a>c mode=udp msg=1; B snd b>d mode=udp msg=2;"
                "C rcv a>c mode=udp msg=1; C rcv b>d mode=udp msg=2",
                0, 1);
    CHECK_INT(stats.message_candidates, 1);
}

/* As published, the next message of a task over TCP is not even sent before the first is received,
 * which also orders what others send. */
TEST(in_the_paper_a_stream_does_not_hold_up_its_sender)
{
    const char *text = "A snd a>c mode=tcp size=1; A snd a>c mode=tcp size=1;"
                       "A snd a>b mode=udp msg=go; B rcv a>b mode=udp msg=go;"
                       "B snd b>c mode=udp msg=2; D snd d>c mode=udp msg=3;"
                       "C rcv a>c mode=tcp size=1; C rcv a>c mode=tcp size=1;"
                       "C rcv b>c mode=udp msg=2; C rcv d>c mode=udp msg=3";
    /* Published: the first of the stream races with 3 alone, the second with 2 and 3, 2 with 3. */
    check_races(text, 4, 3);
}

TEST(racing_messages_bring_the_accesses_of_their_handlers_that_conflict)
{
    const char *start = "A snd a>c mode=udp msg=1; B snd b>c mode=udp msg=2;"
                        "C rcv a>c mode=udp msg=1; C hb; C w x @p; C r y @q; C he;";
    char text[512];
    char keys[256];
    (void)snprintf(text, sizeof text, "%s C rcv b>c mode=udp msg=2; C hb; C r x @r; C r y @s; C he",
                   start);
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER_PAPER, keys), 1);
    CHECK_TEXT(keys, "p|r|x; ?|?");
    CHECK_INT(stats.conflict_pairs, 1);
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER, keys), 1);
    CHECK_TEXT(keys, "p|r|x; ?|?");
    (void)snprintf(text, sizeof text, "%s C rcv b>c mode=udp msg=2; C w x @r", start);
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER_PAPER, keys), 1);
    CHECK_TEXT(keys, "?|?"); /* outside of handlers no accesses are compared */
}

TEST(races_of_messages_alone_are_told_whatever_their_handlers_do)
{
    char keys[256];
    const char *text = "A snd a>c mode=udp msg=1 @p; B snd b>c mode=udp msg=2 @q;"
                       "C rcv a>c mode=udp msg=1 @r; C rcv b>c mode=udp msg=2 @r";
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER, keys), 1);
    CHECK_TEXT(keys, "q|r");
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER_PAPER, keys), 1);
    CHECK_TEXT(keys, "q|r");
}

/* ---- what SPIDER's -r leaves out ---- */

struct left {
    uint64_t pruned, constraints, candidates, races;
};

static void check_pruned(const char *text, struct left wanted)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    stats = (struct race_stats){0};
    const struct race_options o = {
        .compat = RACE_COMPAT_SPIDER, .skips_messages = true, .prunes = true};
    CHECK_INT(race_find(trace_of(text), &o, &f, &stats, &n, &e), 0);
    CHECK_INT(stats.pruned_events, wanted.pruned);
    CHECK_INT(stats.constraints, wanted.constraints);
    CHECK_INT(stats.data_candidates, wanted.candidates);
    CHECK_INT(stats.data_races, wanted.races);
    findings_release(&f);
    notes_release(&n);
}

TEST(spider_prunes_the_third_task_at_a_place_whatever_the_variable)
{
    check_pruned("T@n w x @A; U@n w y @A; V@n w x @A", (struct left){1, 1, 0, 0});
}

TEST(spider_prunes_a_task_that_comes_again_whatever_the_access)
{
    check_pruned("T@n r x @A; T@n w x @A; U@n r x @B", (struct left){1, 1, 0, 0});
    /* A release in between is another context; a second one of the same lock is not. */
    check_pruned("T@n w x @A; T@n rel m; T@n w x @A; T@n rel m; T@n w x @A; U@n r x @B",
                 (struct left){1, 4, 2, 2});
    /* So is a send to another socket, or from another place. */
    check_pruned("T@n w x @A; T@n snd a>b text=s mode=udp msg=1 @S; T@n w x @A;"
                 "T@n snd a>b text=s mode=udp msg=2 @S; T@n w x @A;"
                 "T@n snd a>b text=s mode=udp msg=3 @P; T@n w x @A; U@n r x @B",
                 (struct left){1, 5, 3, 3});
    /* So is a creation. */
    check_pruned("T@n w x @A; T@n fork V@n; T@n w x @A; V@n begin; V@n r y; U@n r x @B",
                 (struct left){0, 6, 2, 2});
}

TEST(spider_prunes_sections_that_hold_nothing)
{
    check_pruned("T@n w x @A; T@n acq m; T@n rel m; U@n acq m; U@n rel m; U@n w x @B",
                 (struct left){4, 2, 1, 1});
    check_pruned("T@n acq m; T@n w x @A; T@n rel m; U@n acq m; U@n w x @B; U@n rel m",
                 (struct left){0, 5, 1, 0});
    /* A section that holds another lock which it did not take stays. */
    check_pruned("T@n acq k; T@n acq m; T@n rel k; T@n rel m; T@n w x @A; U@n w x @B",
                 (struct left){2, 3, 1, 1});
}

TEST(spider_prunes_handlers_but_not_their_receives)
{
    const char *text =
        "M@a snd a>c mode=udp msg=1; M@a snd a>c mode=udp msg=2; M@a snd a>c mode=udp msg=3;"
        "C@c rcv a>c mode=udp msg=1; C@c hb; C@c acq m; C@c w x @p; C@c rel m; C@c he;"
        "C@c rcv a>c mode=udp msg=2; C@c hb; C@c acq m; C@c w x @p; C@c rel m; C@c he;"
        "C@c rcv a>c mode=udp msg=3; C@c hb; C@c acq m; C@c w x @p; C@c rel m; C@c he;"
        "D@c r x @q";
    /* The second handler has the release of the first in its context, the third nothing more. */
    check_pruned(text, (struct left){5, 12, 2, 2});
}

TEST(spider_prunes_created_tasks_that_do_nothing)
{
    check_pruned("T@n fork V@n; V@n begin; V@n end; T@n join V@n; T@n w x @A; U@n w x @B",
                 (struct left){4, 2, 1, 1});
    check_pruned("T@n fork V@n; V@n begin; V@n fork W@n; W@n begin; W@n acq m; W@n rel m;"
                 "T@n w x @A; U@n w x @B",
                 (struct left){2, 6, 1, 1});
}
