#include "base/limit.h"

#include "test.h"

static struct limit parsed(const char *text)
{
    struct limit l = {0};
    struct err e;
    CHECK_INT(limit_parse(&l, text, &e), 0);
    return l;
}

TEST(a_budget_is_a_number_and_a_unit)
{
    CHECK_INT(parsed("30s").time_ns, UINT64_C(30000000000));
    CHECK_INT(parsed("250ms").time_ns, 250000000);
    CHECK_INT(parsed("1.5h").time_ns, UINT64_C(5400000000000));
    CHECK_INT(parsed("10000runs").runs, 10000);
    CHECK_INT(parsed("1run").runs, 1);
    CHECK_INT(parsed("2GB").bytes, UINT64_C(2000000000));
    CHECK_INT(parsed("2GiB").bytes, UINT64_C(2) << 30);
    CHECK_INT(parsed("18446744073709551615B").bytes, UINT64_MAX);
}

TEST(every_unit_of_time_is_known)
{
    CHECK_INT(parsed("3ns").time_ns, 3);
    CHECK_INT(parsed("3us").time_ns, 3000);
    CHECK_INT(parsed("0.25us").time_ns, 250);
    CHECK_INT(parsed("3ms").time_ns, 3000000);
    CHECK_INT(parsed("3s").time_ns, UINT64_C(3000000000));
    CHECK_INT(parsed("3m").time_ns, UINT64_C(180000000000));
    CHECK_INT(parsed("3h").time_ns, UINT64_C(10800000000000));
    CHECK_INT(parsed("3d").time_ns, UINT64_C(259200000000000));
}

TEST(budgets_are_joined_by_commas_and_by_repetition)
{
    struct limit l = parsed("30s,5runs");
    CHECK_INT(l.time_ns, UINT64_C(30000000000));
    CHECK_INT(l.runs, 5);
    struct err e;
    CHECK_INT(limit_parse(&l, "1MB", &e), 0);
    CHECK_INT(l.runs, 5);
    CHECK_INT(l.bytes, 1000000);
}

TEST(what_is_no_budget_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = {
        "",
        "s",
        "30",
        "30 s",
        "-1s",
        "1e3s",
        ".5s",
        "1.s",
        "1..5s",
        "0s",
        "30s,",
        "30s,x",
        "30parsec",
        "99999999999999999999B",
        "18446744073709551616B",
        "1000000000000000d",
        "0.00000000001s",
        "0.5ns",
        "1s\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct limit l = {.runs = 7};
        struct err e = {0};
        CHECK_INT(limit_parse(&l, wrong[i], &e), -1);
        CHECK(strstr(e.text, "is not a budget") != NULL);
        CHECK_INT(l.runs, 7);
        CHECK_INT(l.time_ns, 0);
        CHECK_INT(l.bytes, 0);
    }
}

TEST(a_span_of_time_may_be_none)
{
    uint64_t time_ns = 7;
    struct err e = {0};
    CHECK_INT(limit_parse_time(&time_ns, "0s", &e), 0);
    CHECK_INT(time_ns, 0);
    CHECK_INT(limit_parse_time(&time_ns, "1.5m", &e), 0);
    CHECK_INT(time_ns, UINT64_C(90000000000));
    CHECK_INT(limit_parse_time(&time_ns, "5runs", &e), -1);
    CHECK_INT(limit_parse_time(&time_ns, "1s,2s", &e), -1);
    CHECK_INT(limit_parse_time(&time_ns, "5", &e), -1);
    CHECK_TEXT(e.text,
               "\"5\" is not a span of time such as 1.5s or 200ms (units: ns us ms s m h d)");
}

TEST(no_limit_is_never_spent)
{
    struct limit l = {0};
    limit_begin(&l);
    CHECK(!limit_is_spent(&l, UINT64_MAX));
}

TEST(runs_time_and_memory_are_each_spent)
{
    struct limit l = {.runs = 3};
    limit_begin(&l);
    CHECK_INT(limit_end(&l, 2), LIMIT_OPEN);
    CHECK_INT(limit_end(&l, 3), LIMIT_RUNS);
    CHECK(limit_is_spent(&l, 3));

    l = (struct limit){.time_ns = 1};
    limit_begin(&l);
    const uint64_t before = limit_now_ns();
    while (limit_now_ns() == before) {
    }
    CHECK_INT(limit_end(&l, 0), LIMIT_TIME);

    l = (struct limit){.bytes = 1};
    CHECK_INT(limit_end(&l, 0), LIMIT_BYTES);
    l.bytes = UINT64_MAX;
    CHECK(!limit_is_spent(&l, 0));
}

TEST(a_wish_for_an_end_spends_every_limit)
{
    volatile sig_atomic_t wish = 0;
    const struct limit l = {.is_stopped = &wish};
    CHECK(!limit_is_spent(&l, 0));
    wish = 1;
    CHECK(limit_is_stopped(&l));
    CHECK_INT(limit_end(&l, 0), LIMIT_STOPPED);
}

TEST(the_time_left_ends_at_nothing)
{
    struct limit l = {0};
    CHECK(limit_time_left_ns(&l) == UINT64_MAX);
    l.time_ns = UINT64_MAX;
    limit_begin(&l);
    CHECK(limit_time_left_ns(&l) > UINT64_MAX / 2);
    l = (struct limit){.time_ns = 1}; /* long ago */
    CHECK(limit_time_left_ns(&l) == 0);
}

TEST(a_watch_without_a_limit_is_never_over)
{
    struct limit_watch watch = {0};
    CHECK(!limit_is_over(NULL, UINT32_MAX));
    CHECK(!limit_is_over(&watch, UINT32_MAX));
}

TEST(a_watch_asks_at_once_and_then_after_many_steps)
{
    struct limit l = {.bytes = 1};
    struct limit_watch watch = {.limit = &l};
    CHECK(limit_is_over(&watch, 1));

    l.bytes = UINT64_MAX;
    watch = (struct limit_watch){.limit = &l};
    CHECK(!limit_is_over(&watch, 1));
    l.bytes = 1;
    CHECK(!limit_is_over(&watch, LIMIT_STEPS - 1));
    CHECK(limit_is_over(&watch, 1));
    l.bytes = UINT64_MAX;
    CHECK(limit_is_over(&watch, 0)); /* stays so */
}

TEST(a_watch_sees_a_wish_at_once)
{
    volatile sig_atomic_t wish = 0;
    const struct limit l = {.is_stopped = &wish};
    struct limit_watch watch = {.limit = &l};
    CHECK(!limit_is_over(&watch, 1));
    wish = 1;
    CHECK(limit_is_over(&watch, 1));
}
