#include "fuzz.h"

#include "formats.h"
#include "http_rules_of.h"
#include "import/import.h"

FUZZ_ENTRY(http_log)
{
    struct http_rules rules;
    fuzz_format(&format_http_log, bytes, size); /* as an access log */
    http_rules_of(&rules, "line '%t %level [%task] %verb %res %status'\n"
                          "line '%task %verb %res %version'");
    fuzz_format(&format_http_log, bytes, size);
    http_rules_end(&rules);
}
