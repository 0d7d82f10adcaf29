/* Random captures of a service: the engine finds in them exactly what brute force does. */
#include "fuzz.h"

#include "base/err.h"
#include "random_capture.h"

FUZZ_ENTRY(capture)
{
    struct capture_tally tally = {0};
    must(capture_agrees(bytes, size, &tally, NULL));
}
