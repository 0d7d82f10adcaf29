/* Every reader of this room survives damaged inputs, and keeps its promises on what it takes of
 * them. */
#include "fuzz.h"
#include "mutate.h"
#include "test.h"

FUZZ_DECLARE(native);
FUZZ_DECLARE(text);
FUZZ_DECLARE(schedule);
FUZZ_DECLARE(findings);

TEST(native_files_may_be_damaged_in_any_way)
{
    mutate_entry("native", fuzz_native);
}

TEST(text_files_may_be_damaged_in_any_way)
{
    mutate_entry("text", fuzz_text);
}

TEST(schedules_may_be_damaged_in_any_way)
{
    mutate_entry("schedule", fuzz_schedule);
}

TEST(findings_files_may_be_damaged_in_any_way)
{
    mutate_entry("findings", fuzz_findings);
}
