#include "wire/must.h"

#include <stdio.h>
#include <stdlib.h>

/* The one exception to "nothing below cli/ prints": no caller is left to report to. */
_Noreturn void must_failed(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "clew: bug at %s:%d: %s\n", file, line, what);
    abort();
}
