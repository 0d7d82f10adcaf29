#include "formats.h"
#include "fuzz.h"

FUZZ_ENTRY(text)
{
    fuzz_format(&format_text, bytes, size);
}
