#include "fuzz.h"

#include "formats.h"
#include "http_rules_of.h"
#include "import/import.h"

FUZZ_ENTRY(otlp)
{
    struct http_rules rules;
    http_rules_of(&rules, "track X-Request-ID\nversion header:If-Match");
    fuzz_format(&format_otlp, bytes, size);
    http_rules_end(&rules);
}
