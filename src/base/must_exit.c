#include "wire/must.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The exceptions to "nothing below cli/ prints": no caller is left to report to. */
_Noreturn void must_failed(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "clew: bug at %s:%d: %s\n", file, line, what);
    abort();
}

_Noreturn void must_leave(const char *why)
{
    (void)fprintf(stderr, "clew: %s\n", why);
    _exit(2);
}
