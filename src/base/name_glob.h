/* A glob pattern (* ? [...]) against interned names, with cached answers. A name also matches
 * itself, so that array[3] can be requested. */
#ifndef CLEW_BASE_NAME_GLOB_H
#define CLEW_BASE_NAME_GLOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "base/vec.h"

/* {.text = "ledger-*"} is ready. */
struct name_glob {
    const char *text;
    VEC(uint8_t) answers; /* by name */
    bool is_met;          /* some name has matched */
};

/* True when the name matches; number 0, the empty name, never does. */
bool name_glob_matches(struct name_glob *p, const struct names *names, uint32_t name);

/* Of the tested names that do not match, the one closest to the pattern; NULL when none is close.
 * O(names). */
const char *name_glob_nearest(const struct name_glob *p, const struct names *names);

void name_glob_release(struct name_glob *p);

#endif
