/* The reader of solvers' answers survives damaged ones. */
#include "fuzz.h"
#include "mutate.h"
#include "test.h"

FUZZ_DECLARE(smtlib_answer);

TEST(answers_may_be_damaged_in_any_way)
{
    mutate_entry("smtlib_answer", fuzz_smtlib_answer);
}
