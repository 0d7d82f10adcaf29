#include "base/demangle.h"

#include "base/fault_injection.h"
#include "test.h"

static const char *shown(const char *text, size_t *taken)
{
    static char name[100];
    name[0] = '\0';
    *taken = demangle(text, strlen(text), name, sizeof name);
    return name;
}

TEST(a_mangled_name_is_shown_as_its_source_has_it)
{
    size_t taken = 0;
    CHECK_TEXT(shown("_ZN4Bank7balanceE", &taken), "Bank::balance");
    CHECK_INT(taken, 17);
    CHECK_TEXT(shown("_ZN4Bank3payEil+8 at x", &taken), "Bank::pay(int, long)");
    CHECK_INT(taken, 15);
    CHECK_TEXT(shown("_ZL5count", &taken), "count");
}

TEST(what_is_no_mangled_name_is_left_alone)
{
    static const char *const others[] = {
        "", "_", "_Z", "_Zebra!", "_ZN", "count", " _ZN4Bank7balanceE"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t taken = 1;
        CHECK_TEXT(shown(others[i], &taken), "");
        CHECK_INT(taken, 0);
    }
}

TEST(a_name_that_does_not_fit_is_cut)
{
    char name[5];
    CHECK_INT(demangle("_ZN4Bank7balanceE", 17, name, sizeof name), 17);
    CHECK_TEXT(name, "Bank");
}

TEST(a_name_stays_as_it_is_when_memory_ends)
{
    size_t taken = 1;
    seam_arm(1);
    CHECK_TEXT(shown("_ZN4Bank7balanceE", &taken), "");
    seam_disarm();
    CHECK_INT(taken, 0);
}
