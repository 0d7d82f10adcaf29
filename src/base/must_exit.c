#include "wire/must.h"

#include <stdio.h>
#include <stdlib.h>

/* The one exception to "nothing below cli/ prints": there is nobody left to hand this to. */
_Noreturn void must_failed(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "clew: bug at %s:%d: %s\n", file, line, what);
    abort();
}
