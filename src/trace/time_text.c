#include "trace/time_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_OF_2001 (INT64_C(978307200) * NS_PER_SECOND)

/* False when the unit of ticks is unknown, or the time does not fit. */
static bool in_ns(int64_t ticks, uint64_t tick_ns, int64_t *ns)
{
    return tick_ns > 0 && tick_ns <= INT64_MAX &&
           !__builtin_mul_overflow(ticks, (int64_t)tick_ns, ns) && *ns != INT64_MIN;
}

enum { FRACTION_SIZE = 24 };

/* ".25" for 250 of 1,000 parts, "" for none. */
static void fraction_text(char text[FRACTION_SIZE], int64_t part, int64_t whole)
{
    size_t size = 0;
    if (part > 0) {
        text[size++] = '.';
    }
    for (; part > 0; part = part * 10 % whole) {
        text[size++] = (char)('0' + part * 10 / whole);
    }
    text[size] = '\0';
}

static void span_of_ns(char text[TIME_TEXT_SIZE], int64_t ns)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"s", NS_PER_SECOND}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    const int64_t size = llabs(ns);
    char fraction[FRACTION_SIZE];
    size_t unit = 0;
    while (units[unit].ns > 1 && size < units[unit].ns) {
        unit++;
    }
    fraction_text(fraction, size % units[unit].ns, units[unit].ns);
    (void)snprintf(text, TIME_TEXT_SIZE, "%s%lld%s %s", ns < 0 ? "-" : "",
                   (long long)(size / units[unit].ns), fraction, units[unit].name);
}

static void date_of_ns(char text[TIME_TEXT_SIZE], int64_t ns)
{
    const time_t seconds = (time_t)(ns / NS_PER_SECOND);
    struct tm parts;
    char fraction[FRACTION_SIZE];
    (void)gmtime_r(&seconds, &parts);
    fraction_text(fraction, ns % NS_PER_SECOND, NS_PER_SECOND);
    (void)snprintf(text, TIME_TEXT_SIZE, "%04d-%02d-%02d %02d:%02d:%02d%s", parts.tm_year + 1900,
                   parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                   fraction);
}

void time_text(char text[TIME_TEXT_SIZE], int64_t ticks, uint64_t tick_ns)
{
    int64_t ns = 0;
    if (!in_ns(ticks, tick_ns, &ns)) {
        (void)snprintf(text, TIME_TEXT_SIZE, "%lld", (long long)ticks);
    } else if (ns < NS_OF_2001) {
        span_of_ns(text, ns);
    } else {
        date_of_ns(text, ns);
    }
}

void time_span_text(char text[TIME_TEXT_SIZE], int64_t ticks, uint64_t tick_ns)
{
    int64_t ns = 0;
    if (in_ns(ticks, tick_ns, &ns)) {
        span_of_ns(text, ns);
    } else {
        (void)snprintf(text, TIME_TEXT_SIZE, "%lld tick%s", (long long)ticks,
                       ticks == 1 ? "" : "s");
    }
}
