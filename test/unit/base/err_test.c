#include "base/err.h"

#include "test.h"

TEST(wrapping_puts_the_context_first)
{
    struct err e;
    CHECK_INT(err_set(&e, "byte %d: too short", 12), -1);
    CHECK_INT(err_wrap(&e, "%s", "bank.clew"), -1);
    CHECK_TEXT(e.text, "bank.clew: byte 12: too short");
}

TEST(a_long_sentence_is_cut_and_stays_a_string)
{
    struct err e;
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    (void)err_set(&e, "%s", longer);
    CHECK_INT(strlen(e.text), sizeof e.text - 1);
    (void)err_wrap(&e, "%s", longer);
    CHECK_INT(strlen(e.text), sizeof e.text - 1);
    (void)err_wrap(&e, "short");
    CHECK(strncmp(e.text, "short: xxx", 10) == 0);
}
