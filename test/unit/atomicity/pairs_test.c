#include "atomicity/pairs.h"

#include "fuzz.h"
#include "mutate.h"
#include "test.h"

FUZZ_DECLARE(pairs);

static const char *error_of(const char *text)
{
    static struct err e;
    struct pairs p = {0};
    CHECK_INT(pairs_parse(&p, text, strlen(text), &e), -1);
    pairs_release(&p);
    return e.text;
}

TEST(a_line_ends_in_two_names)
{
    static const char text[] =
        "# distance\tsupport\tx\ty\n1.00\t42\tbalance\tthe total\r\n\n  a b\nc\td";
    struct pairs p = {0};
    struct err e;
    CHECK_INT(pairs_parse(&p, text, strlen(text), &e), 0);
    CHECK_INT(p.list.count, 3);
    CHECK_TEXT(p.list.at[0].x, "balance");
    CHECK_TEXT(p.list.at[0].y, "the total");
    CHECK_TEXT(p.list.at[1].x, "a");
    CHECK_TEXT(p.list.at[2].y, "d");
    pairs_release(&p);
}

TEST(a_line_with_one_name_is_refused)
{
    CHECK_TEXT(error_of("a b\nlonely\n"),
               "line 2: \"lonely\": a pair is two names, with a tab or blanks between");
}

TEST(bytes_that_are_no_text_are_refused)
{
    struct pairs p = {0};
    struct err e;
    CHECK_INT(pairs_parse(&p, "a \0 b", 5, &e), -1);
    CHECK_TEXT(e.text, "line 1: holds a zero byte, not a list of pairs");
    pairs_release(&p);
}

TEST(damaged_lists_are_survived)
{
    mutate_entry("pairs", fuzz_pairs);
}
