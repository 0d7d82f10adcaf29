/* What the files of this room share. */
#ifndef CLEW_PLACE_STATE_H
#define CLEW_PLACE_STATE_H

#include <elfutils/libdwfl.h>

#include "base/map.h"
#include "place/place.h"

/* libdwfl does the work; modules are reported lazily, because each report is a round over all of
 * them. */
struct places {
    Dwfl *dwfl;
    bool is_reporting;
    struct map known; /* by bias: a module may be told of more than once */
};

/* Tells libdwfl of the modules that were added; false when there is no libdwfl. */
bool places_settle(struct places *p);

#endif
