/* Numbers that 64 bits only just hold, or do not: a sum that is too large has no value, and the
 * verdict is not no because of it. */
#include "monitored.h"

#include "test.h"
#include "trace_of.h"

static void check(const char *property, const char *run, enum cut_verdict verdict)
{
    for (int is_by_solver = 0; is_by_solver <= 1; is_by_solver++) {
        struct spec s = spec_of(property);
        const struct monitor_options o = {.skew = 3, .decide = {.is_by_solver = is_by_solver != 0}};
        const struct monitor_answer answer = monitored(trace_of(run), &s, &o, NULL);
        CHECK_INT(answer.verdict, verdict);
        if (verdict == CUT_UNKNOWN) {
            CHECK_TEXT(answer.reason, "its numbers are too large");
        }
        spec_release(&s);
        trace_of_release();
    }
}

TEST(the_largest_values_are_values)
{
    const char *run = "t@a var x value=9223372036854775807 time=1;"
                      "t@b var y value=-9223372036854775808 time=1";
    check("p: never a.x = 9223372036854775807 and b.y < 0", run, CUT_YES);
    check("p: never a.x < 9223372036854775807 and b.y < 0", run, CUT_NO);
}

TEST(a_sum_of_the_largest_values_is_too_large)
{
    const char *run = "t@a var x value=9223372036854775807 time=1; t@b var y value=0 time=1";
    check("p: never a.x + b.y > 5", run, CUT_UNKNOWN);
    check("p: never a.x + b.y = 5", run, CUT_UNKNOWN);
    check("p: never a.x + b.y > 5 and a.x - b.y > 5", run, CUT_UNKNOWN);
    check("p: never a.x + b.y > 5",
          "t@a var x value=-9223372036854775808 time=1; t@b var y value=0 time=1", CUT_UNKNOWN);
}

TEST(a_sum_that_overflows_on_the_way_is_too_large)
{
    const char *run = "t@a var x value=4611686018427387904 time=1;"
                      "t@b var y value=4611686018427387904 time=1";
    check("p: never a.x + b.y > 5", run, CUT_UNKNOWN);
    check("p: never a.x + b.y - a.x > 5", run, CUT_UNKNOWN);
    check("p: never a.x + b.y > 5 and a.x - b.y >= 0 and 2*a.x - b.y > 0", run, CUT_UNKNOWN);
}

TEST(a_formula_with_the_largest_numbers_is_too_large)
{
    const char *run = "t@a var x value=1 time=1; t@b var y value=1 time=1";
    check("p: never a.x + b.y + 9223372036854775807 > 9223372036854775807", run, CUT_UNKNOWN);
    check("p: never 4611686018427387904*a.x + b.y > 2", run, CUT_UNKNOWN);
    check("p: never 1000000*a.x + b.y > 1000000", run, CUT_YES);
    check("p: never 1000000*a.x + b.y > 1000001", run, CUT_NO);
}
