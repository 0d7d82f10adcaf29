/* A recording has no order by files, and none by a socket that was found ready: what may be ordered
 * so is not graded sound. */
#include "race/race.h"

#include "test.h"
#include "trace_of.h"

/* The grades of the pairs of places in a recording. */
static struct race_stats grades_of(const char *text)
{
    const struct race_options options = {.decides_places = true};
    struct race_stats stats;
    struct findings findings = {0};
    struct notes notes = {0};
    struct err e = {0};
    CHECK_INT(race_find(trace_of(text), &options, &findings, &stats, &notes, &e), 0);
    findings_release(&findings);
    notes_release(&notes);
    return stats;
}

TEST(a_lock_file_may_order)
{
    static const char removed[] =
        "order stamped; A file-open lock; A w n @a; A file-unlink lock; B file-open lock; B w n @b";
    static const char other[] =
        "order stamped; A file-open lock; A w n @a; A file-unlink lock; B file-open x; B w n @b";
    static const char only_opened[] =
        "order stamped; A file-open lock; A w n @a; A file-open lock; B file-open lock; B w n @b";
    CHECK_INT(grades_of(removed).places_sound, 0);
    CHECK_INT(grades_of(removed).places_observed, 1);
    CHECK_INT(grades_of(other).places_sound, 1);
    CHECK_INT(grades_of(only_opened).places_sound, 1);
}

TEST(a_socket_that_is_found_ready_may_order)
{
    static const char seen[] = "order stamped; A w d @a; A snd h:1>h:3 mode=udp msg=ab size=1;"
                               "B ready value=1 size=1; B r d @b";
    static const char received[] =
        "order stamped; A w d @a; A snd h:1>h:3 mode=udp msg=ab size=1; B ready value=1 size=1;"
        "B rcv h:1>h:3 mode=udp msg=cd size=1; B r d @b";
    CHECK_INT(grades_of(seen).places_sound, 0);
    CHECK_INT(grades_of(seen).places_observed, 1);
    CHECK_INT(grades_of(received).places_sound, 1);
}
