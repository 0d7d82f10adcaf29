#include "trace/time_text.h"

#include "test.h"

static void check_time(int64_t ticks, uint64_t tick_ns, const char *wanted)
{
    char text[TIME_TEXT_SIZE];
    time_text(text, ticks, tick_ns);
    CHECK_TEXT(text, wanted);
}

static void check_span(int64_t ticks, uint64_t tick_ns, const char *wanted)
{
    char text[TIME_TEXT_SIZE];
    time_span_text(text, ticks, tick_ns);
    CHECK_TEXT(text, wanted);
}

TEST(a_time_has_the_largest_unit_of_which_it_has_one)
{
    check_time(45, 1000000, "45 ms");
    check_time(1500, 1000000, "1.5 s");
    check_time(0, 1, "0 ns");
    check_time(999, 1, "999 ns");
    check_time(1001, 1, "1.001 us");
    check_time(-2500, 1000, "-2.5 ms");
}

TEST(ticks_without_a_unit_stay_numbers)
{
    check_time(45, 0, "45");
    check_time(INT64_MIN, 0, "-9223372036854775808");
    check_span(1, 0, "1 tick");
    check_span(5, 0, "5 ticks");
}

TEST(a_time_since_1970_is_a_date)
{
    check_time(INT64_C(1700000000250), 1000000, "2023-11-14 22:13:20.25");
    check_time(INT64_C(1700000000000000001), 1, "2023-11-14 22:13:20.000000001");
    check_span(INT64_C(1700000000), 1000000000, "1700000000 s");
}

TEST(a_time_that_does_not_fit_stays_a_number)
{
    check_time(INT64_MAX, 1000, "9223372036854775807");
    check_time(INT64_MIN, 1, "-9223372036854775808");
    check_time(INT64_MAX, UINT64_MAX, "9223372036854775807");
}
