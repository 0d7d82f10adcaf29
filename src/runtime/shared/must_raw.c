#include "wire/must.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Inside the user's process there is no stdio: writes one line to standard error and aborts. */
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
