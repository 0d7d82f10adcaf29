#include "fuzz.h"

#include "formats.h"
#include "import/import.h"

FUZZ_ENTRY(reports_csv)
{
    fuzz_format(&format_reports_csv, bytes, size);
}
