#include "wire/must.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In someone else's process there is no stdio: one line to its standard error, and the end. */
_Noreturn void must_failed(const char *file, int line, const char *what)
{
    (void)line;
    const char *parts[] = {"clew: bug in the recorder at ", file, ": ", what, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0) {
            break;
        }
    }
    abort();
}
