#include "fuzz.h"

#include "report/suppressions.h"

FUZZ_ENTRY(suppressions)
{
    struct suppressions s = {0};
    struct err e = {0};
    if (suppressions_parse(&s, "fuzz", (const char *)bytes, size, &e) == 0) {
        const struct finding_event events[] = {
            {.location = "stats.c:12", .object = "Cache::hits", .stack = "f < g(int) a.c:3"},
            {.location = "", .object = "", .stack = NULL},
        };
        const struct finding finding = {.kind = FINDING_DATA_RACE,
                                        .what = "x is written",
                                        .key = "data-race|a.c:1|b.c:2|x",
                                        .events = events,
                                        .event_count = 2};
        const bool is_hidden = suppressions_hide(&s, &finding);
        must(is_hidden == suppressions_hide(&s, &finding));
        must(suppressions_count(&s) == is_hidden);
        struct notes n = {0};
        suppressions_note(&s, &n);
        notes_release(&n);
    }
    suppressions_release(&s);
}
