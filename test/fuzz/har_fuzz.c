#include "fuzz.h"

#include "formats.h"
#include "http_rules_of.h"
#include "import/import.h"

FUZZ_ENTRY(har)
{
    struct http_rules rules;
    http_rules_of(&rules, "track User-Agent | body:$.id\n"
                          "read POST */_all_docs res=body:$.keys[*]\n"
                          "copy POST */{a}/copyTo/{b} read={a} write={b}\n"
                          "version header:If-Match | body:$._rev | query:rev\n"
                          "barrier PUT */{id}/done before GET */{id}/result");
    fuzz_format(&format_har, bytes, size);
    http_rules_end(&rules);
}
