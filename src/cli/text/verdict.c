#include "cli/text/verdict.h"

#include "cli/verb.h"
#include "wire/must.h"

_Static_assert(EXIT_CLEAN == 0, "clew(1) promises the exit statuses");
_Static_assert(EXIT_FOUND == 1, "clew(1) promises the exit statuses");
_Static_assert(EXIT_UNABLE == 2, "clew(1) promises the exit statuses");
_Static_assert(EXIT_UNKNOWN == 3, "clew(1) promises the exit statuses");

enum verdict verdict_of(bool is_found, bool is_open)
{
    return is_found ? VERDICT_FOUND : is_open ? VERDICT_UNKNOWN : VERDICT_CLEAN;
}

int verdict_status(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_CLEAN: return EXIT_CLEAN;
    case VERDICT_FOUND: return EXIT_FOUND;
    case VERDICT_UNKNOWN: return EXIT_UNKNOWN;
    }
    bug("a verdict has a status");
}

int verdict_status_of_search(enum verdict verdict, bool is_hindered)
{
    return verdict == VERDICT_UNKNOWN && !is_hindered ? EXIT_CLEAN : verdict_status(verdict);
}
