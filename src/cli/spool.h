/* Inputs that can be read only once: pipes and the like, of which more than one look is wanted. */
#ifndef CLEW_CLI_SPOOL_H
#define CLEW_CLI_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Whether what is at path is there only once. What is not there at all is not. */
bool spool_is_needed(const char *path);

/* Keeps all that comes from path in memory, and writes into `kept` a path under which it can be
 * read as often as one likes while this process lives. Fails when it cannot be read or kept. */
MUST_USE int spool_keep(const char *path, char *kept, size_t size, struct err *e);

#endif
