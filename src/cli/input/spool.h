/* Inputs that can be read only once: pipes and the like, of which more than one look is wanted. */
#ifndef CLEW_CLI_INPUT_SPOOL_H
#define CLEW_CLI_INPUT_SPOOL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/limit.h"

/* Whether the file at path can be read only once. False for a missing file. */
bool spool_is_needed(const char *path);

/* The path of the copy; the message when the limit ended it. */
enum { SPOOL_PATH_SIZE = 32, SPOOL_CUT = 1 };

/* Keeps all that comes from path in memory, and writes into `kept` a path under which it can be
 * read as often as one likes while this process lives. SPOOL_CUT when the limit was spent before
 * all had come, else 0. Fails when it cannot be read or kept. */
MUST_USE int spool_keep(const char *path, char kept[SPOOL_PATH_SIZE], const struct limit *l,
                        struct err *e);

#endif
