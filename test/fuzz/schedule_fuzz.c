#include <string.h>

#include "fuzz.h"
#include "trace/schedule.h"

/* Parses and prints; false when it is no schedule. */
static bool print_again(const void *bytes, size_t size, struct out *out)
{
    struct schedule s;
    struct err e;
    struct in in;
    in_open_memory(&in, bytes, size);
    schedule_init(&s);
    const bool is_schedule = schedule_parse(&s, &in, &e) == 0;
    if (is_schedule) {
        schedule_print(&s, out);
    }
    schedule_release(&s);
    return is_schedule;
}

/* What is printed from a schedule is one, and prints as itself. */
FUZZ_ENTRY(schedule)
{
    struct out first;
    struct out second;
    out_open_memory(&first);
    out_open_memory(&second);
    if (print_again(bytes, size, &first)) {
        must(print_again(first.buffer, first.used, &second));
        must(first.used == second.used);
        must(memcmp(first.buffer, second.buffer, first.used) == 0);
    }
    out_abandon(&first);
    out_abandon(&second);
}
