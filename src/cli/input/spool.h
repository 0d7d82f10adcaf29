/* Inputs that can be read only once: pipes and the like, of which more than one look is wanted. */
#ifndef CLEW_CLI_INPUT_SPOOL_H
#define CLEW_CLI_INPUT_SPOOL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/limit.h"

/* Whether what is at path is there only once. What is not there at all is not. */
bool spool_is_needed(const char *path);

/* Room for a path of what is kept; what is said when the limit ended it. */
enum { SPOOL_PATH_SIZE = 32, SPOOL_CUT = 1 };

/* Keeps all that comes from path in memory, and writes into `kept` a path under which it can be
 * read as often as one likes while this process lives. SPOOL_CUT when the limit was spent before
 * all had come, else 0. Fails when it cannot be read or kept. */
MUST_USE int spool_keep(const char *path, char kept[SPOOL_PATH_SIZE], const struct limit *l,
                        struct err *e);

#endif
