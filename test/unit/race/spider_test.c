/* SPIDER's ways to tell message races: as published, and as its dissertation defines them. */
#include "race/spider.h"

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
    CHECK_TEXT(keys, "p|r|x");
    CHECK_INT(stats.conflict_pairs, 1);
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER, keys), 1);
    CHECK_TEXT(keys, "p|r|x");
    (void)snprintf(text, sizeof text, "%s C rcv b>c mode=udp msg=2; C w x @r", start);
    CHECK_INT(race_count(text, RACE_COMPAT_SPIDER_PAPER, keys), 1);
    CHECK_TEXT(keys, ""); /* outside of handlers nothing is compared */
}
