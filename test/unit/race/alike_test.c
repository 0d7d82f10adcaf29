/* Which variables look alike. */
#include "race/allocation_class.h"

#include <string.h>

#include "test.h"

static const char *stem_of(const char *name)
{
    static char stem[100];
    (void)snprintf(stem, sizeof stem, "%.*s", (int)alike_size(name, strlen(name)), name);
    return stem;
}

TEST(a_block_is_known_by_where_it_was_allocated)
{
    CHECK_TEXT(stem_of("bank.c:42#3"), "bank.c:42");
    CHECK_TEXT(stem_of("bank.c:42#3+16"), "bank.c:42");
    CHECK_TEXT(stem_of("object#12"), "object");
    CHECK_TEXT(stem_of("bank.c:42#1.3+8"), "bank.c:42");
    CHECK_TEXT(stem_of("bank.c:42#1.3"), "bank.c:42");
    CHECK_TEXT(stem_of("bank.c:42@main/1/2#3+8"), "bank.c:42");
    CHECK_TEXT(stem_of("descriptor:bank.c:42@main/1#3"), "descriptor:bank.c:42");
}

TEST(other_names_stay_whole)
{
    static const char *const names[] = {"",   "x",    "accounts+16", "Bank#total",
                                        "#3", "17",   "a#b+1",       "a+1#",
                                        "+3", "a#+3", "a.3",         "a@main/1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_TEXT(stem_of(names[i]), names[i]);
    }
}

TEST(nodes_are_told_apart)
{
    struct names names;
    struct alike alike;
    names_init(&names);
    alike_init(&alike);
    const uint32_t first = names_intern_text(&names, "a.c:1#1+8");
    const uint32_t second = names_intern_text(&names, "a.c:1#2");
    const uint32_t other = names_intern_text(&names, "a.c:2#1");
    CHECK_INT(alike_number(&alike, &names, 1, first), alike_number(&alike, &names, 1, second));
    CHECK(alike_number(&alike, &names, 1, first) != alike_number(&alike, &names, 1, other));
    CHECK(alike_number(&alike, &names, 1, first) != alike_number(&alike, &names, 2, first));
    alike_release(&alike);
    names_release(&names);
}
