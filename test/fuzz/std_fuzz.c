#include "fuzz.h"

#include "reader_fuzz.h"

FUZZ_ENTRY(std)
{
    fuzz_reader(&format_std, bytes, size);
}
