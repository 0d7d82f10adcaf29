#include "fuzz.h"

#include "formats.h"
#include "http_rules_of.h"
#include "import/import.h"

FUZZ_ENTRY(http_tsv)
{
    struct http_rules rules;
    http_rules_of(&rules, "version header:If-Match");
    fuzz_format(&format_http_tsv, bytes, size);
    http_rules_end(&rules);
}
