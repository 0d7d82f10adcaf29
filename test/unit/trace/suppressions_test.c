#include "report/suppressions.h"

#include "fuzz.h"
#include "mutate.h"
#include "scratch.h"
#include "test.h"

static const struct finding_event events[] = {
    {.location = "bank.c:12",
     .object = "account.balance",
     .stack = "deposit < transfer(int, int) bank.c:30 < main main.c:7"},
    {.location = "audit.c:40", .object = "account.balance", .stack = "sum"},
};

static struct finding race(void)
{
    return (struct finding){.kind = FINDING_DATA_RACE,
                            .what =
                                "account.balance is written at bank.c:12 and read at audit.c:40",
                            .key = "data-race|audit.c:40|bank.c:12|account.balance",
                            .events = events,
                            .event_count = 2};
}

static bool hides(const char *lines, const struct finding *f)
{
    struct suppressions s = {0};
    struct err e = {0};
    CHECK_INT(suppressions_parse(&s, "known", lines, strlen(lines), &e), 0);
    const bool is_hidden = suppressions_hide(&s, f);
    CHECK_INT(suppressions_count(&s), is_hidden);
    suppressions_release(&s);
    return is_hidden;
}

static void check(const char *lines, bool wanted)
{
    const struct finding f = race();
    if (hides(lines, &f) != wanted) {
        fail_msg("%s %s the race", lines, wanted ? "does not hide" : "hides");
    }
}

TEST(a_pattern_is_met_by_functions_files_and_variables)
{
    check("race:deposit", true);
    check("race:transfer", true);
    check("race:main.c", true);
    check("race:audit.c:40", true);
    check("race:account", true);
    check("race:withdraw", false);
    check("# a comment\n\n  race:deposit  \r\n", true);
    check("", false);
}

TEST(stars_and_bounds_mean_what_they_mean_to_threadsanitizer)
{
    check("race:dep*it", true);
    check("race:d*x", false);
    check("race:^deposit$", true);
    check("race:^deposit", true);
    check("race:^eposit", false);
    check("race:deposi$", false);
    check("race:^bank.c$", true);
    check("race:^transfer(int, int)$", true);
    check("race:^*$", true);
    check("race:*.c:4*", true);
}

TEST(race_top_looks_at_the_access_alone)
{
    check("race_top:deposit", true);
    check("race_top:bank.c", true);
    check("race_top:transfer", false);
    check("race_top:account", false);
}

TEST(a_key_is_met_whole)
{
    check("key:data-race|audit.c:40|bank.c:12|account.balance", true);
    check("key:data-race|audit.c:40|bank.c:12|account.balance # summed roughly, on purpose", true);
    check("key:data-race|audit.c:40", false);
    check("key:data-race|audit.c:*", true);
    check("key:*|account.balance", true);
}

TEST(a_line_is_for_findings_of_its_type)
{
    check("deadlock:deposit", false);
    check("mutex:deposit\nthread:deposit\nsignal:deposit\ncalled_from_lib:deposit", false);
    const struct finding deadlock = {
        .kind = FINDING_DEADLOCK, .what = "2 threads wait for each other at lock", .key = "d|a|b"};
    CHECK(hides("deadlock:each other", &deadlock));
    CHECK(!hides("race:each other", &deadlock));
    CHECK(hides("key:d|*", &deadlock));
    const struct finding use = {
        .kind = FINDING_USE_AFTER_FREE, .what = "block is freed", .key = "u|a|b"};
    CHECK(hides("race:block", &use));
    CHECK(!hides("deadlock:block", &use));
}

static void check_refused(const char *lines, size_t size, const char *message)
{
    struct suppressions s = {0};
    struct err e = {0};
    CHECK_INT(suppressions_parse(&s, "known", lines, size, &e), -1);
    CHECK_TEXT(e.text, message);
    suppressions_release(&s);
}

TEST(what_is_no_suppression_is_refused_with_its_line)
{
    check_refused("race:x\n\nrandom words\n", 21,
                  "line 3: \"random words\" has no type: write race:PATTERN, deadlock:PATTERN or "
                  "key:KEY");
    check_refused("rac:x", 5,
                  "line 1: \"rac\" is no type of suppression (race, race_top, deadlock, mutex, "
                  "thread, signal, called_from_lib, key)");
    check_refused("race:", 5, "line 1: nothing follows \"race:\"");
    check_refused("key:  # why", 11, "line 1: nothing follows \"key:\"");
    check_refused("race:a\0b", 8, "line 1: this is no text: it holds a 0 byte");
}

TEST(a_file_that_is_not_there_is_named)
{
    struct suppressions s = {0};
    struct err e = {0};
    CHECK_INT(suppressions_read(&s, "/nonexistent/known", &e), -1);
    CHECK(strstr(e.text, "/nonexistent/known") != NULL);
    CHECK_INT(suppressions_read_baseline(&s, "/nonexistent/last", &e), -1);
    CHECK(strstr(e.text, "/nonexistent/last") != NULL);
    suppressions_release(&s);
}

TEST(lines_that_hide_nothing_are_noted)
{
    const char *lines = "race:deposit\nrace:withdraw\nthread:x\n";
    struct suppressions s = {0};
    struct notes n = {0};
    struct err e = {0};
    const struct finding f = race();
    CHECK_INT(suppressions_parse(&s, "known", lines, strlen(lines), &e), 0);
    CHECK(suppressions_hide(&s, &f));
    CHECK(suppressions_hide(&s, &f));
    CHECK_INT(suppressions_count(&s), 1);
    CHECK_INT(s.rules.at[0].hit_count, 2);
    suppressions_note(&s, &n);
    CHECK_INT(n.list.count, 2);
    CHECK_TEXT(n.list.at[0].text, "race:withdraw suppresses nothing here");
    CHECK_TEXT(n.list.at[0].place, "known: line 2");
    CHECK_TEXT(n.list.at[1].text, "clew has no findings of type \"thread\": ignored");
    notes_release(&n);
    suppressions_release(&s);
}

TEST(a_baseline_hides_the_findings_that_it_holds)
{
    const char *text =
        "{\"clew\":\"0.1.0\",\"schema\":1,\"verb\":\"races\",\"inputs\":[],\"events\":1,"
        "\"verdict\":\"found\",\"stats\":{},\"assumptions\":[],\"findings\":["
        "{\"id\":1,\"kind\":\"data-race\",\"status\":\"predicted\",\"grade\":\"may\","
        "\"severity\":\"error\",\"what\":\"a\",\"key\":\"data-race|audit.c:40|bank.c:12|"
        "account.balance\",\"events\":[],\"witness\":null,\"replay\":null},"
        "{\"id\":2,\"kind\":\"data-race\",\"status\":\"predicted\",\"grade\":\"may\","
        "\"severity\":\"error\",\"what\":\"b\",\"key\":\"other\",\"events\":[],"
        "\"witness\":null,\"replay\":null}]}";
    struct suppressions s = {0};
    struct notes n = {0};
    struct err e = {0};
    const char *path = scratch_write("last.findings", text, strlen(text));
    if (suppressions_read_baseline(&s, path, &e) < 0) {
        fail_msg("%s", e.text);
    }
    struct finding f = race();
    CHECK(suppressions_hide(&s, &f));
    f.key = "data-race|new";
    CHECK(!suppressions_hide(&s, &f));
    CHECK_INT(suppressions_known_count(&s), 1);
    CHECK_INT(suppressions_count(&s), 0);
    suppressions_note(&s, &n);
    CHECK_INT(n.list.count, 1);
    CHECK_TEXT(n.list.at[0].text, "findings of the baseline were not found");
    CHECK_INT(n.list.at[0].count, 1);
    notes_release(&n);
    suppressions_release(&s);
}

FUZZ_DECLARE(suppressions);

TEST(damaged_suppressions_are_read_or_refused)
{
    mutate_entry("suppressions", fuzz_suppressions);
}
