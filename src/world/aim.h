/* Aims: soft constraints for a further run, derived from an earlier run. */
#ifndef CLEW_WORLD_AIM_H
#define CLEW_WORLD_AIM_H

#include "base/vec.h"
#include "pick/pick.h"

enum { AIM_WISHES_MAX = 8 };
_Static_assert((int)AIM_WISHES_MAX <= (int)PICK_WISHES_MAX, "a plan takes all wishes of an aim");

struct aim {
    struct pick_wish wishes[AIM_WISHES_MAX];
    uint32_t wish_count;
    bool is_deadlock; /* it leads to tasks that wait for each other */
};

/* {0} is none. */
struct aims {
    VEC(struct aim) list;
};

#endif
