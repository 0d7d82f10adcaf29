#include "fuzz.h"

#include "reader_fuzz.h"

FUZZ_ENTRY(falcon)
{
    fuzz_reader(&format_falcon, bytes, size);
}
