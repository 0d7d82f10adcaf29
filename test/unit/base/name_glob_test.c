#include "base/name_glob.h"

#include "test.h"

static bool matches(const char *pattern, const char *text)
{
    struct names names;
    struct name_glob p = {.text = pattern};
    names_init(&names);
    const uint32_t name = names_intern_text(&names, text);
    const bool is_match = name_glob_matches(&p, &names, name);
    CHECK(name_glob_matches(&p, &names, name) == is_match); /* asked again */
    CHECK(p.is_met == is_match);
    name_glob_release(&p);
    names_release(&names);
    return is_match;
}

TEST(a_pattern_is_that_of_the_shell)
{
    CHECK(matches("ledger-*", "ledger-1"));
    CHECK(matches("node?", "node7"));
    CHECK(matches("[xy]", "y"));
    CHECK(!matches("ledger", "ledger-1"));
    CHECK(!matches("[xy]", "z"));
}

TEST(a_name_matches_itself_and_none_matches_nothing)
{
    CHECK(matches("array[3]", "array[3]"));
    CHECK(matches("array[3]", "array3"));
    CHECK(!matches("*", ""));
}

TEST(the_nearest_is_one_that_was_asked_and_did_not_match)
{
    struct names names;
    struct name_glob p = {.text = "balanse"};
    names_init(&names);
    const uint32_t journal = names_intern_text(&names, "journal");
    const uint32_t balance = names_intern_text(&names, "balance");
    CHECK(!name_glob_matches(&p, &names, journal));
    CHECK(name_glob_nearest(&p, &names) == NULL);
    CHECK(!name_glob_matches(&p, &names, balance));
    CHECK_TEXT(name_glob_nearest(&p, &names), "balance");
    CHECK(!p.is_met);
    name_glob_release(&p);
    names_release(&names);
}
