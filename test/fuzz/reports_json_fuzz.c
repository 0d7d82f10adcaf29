#include "fuzz.h"

#include "formats.h"
#include "import/import.h"

FUZZ_ENTRY(reports_json)
{
    fuzz_format(&format_reports_json, bytes, size);
}
