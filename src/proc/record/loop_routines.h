/* The functions of a process whose loops have been looked at (place/loop_rounds.h), by position. */
#ifndef CLEW_PROC_RECORD_LOOP_ROUTINES_H
#define CLEW_PROC_RECORD_LOOP_ROUTINES_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "place/loop_rounds.h"

struct routine {
    struct rounds *rounds;
    uint32_t depth; /* how many functions of the program it was inlined into */
};

/* {0} has none. */
struct routines {
    VEC(struct routine) list;
    struct map number_of; /* position and depth to a routine, from 1; 0: nothing is known of it */
    struct map depth_of;  /* position to how many functions of the program it is in */
};

void routines_release(struct routines *r);

/* The function of the program at this depth that has the position, as rounds_new finds it; NULL:
 * nothing is known of the code there. O(routines) when a position is asked for first. */
struct rounds *routines_at(struct routines *r, struct places *places, uint64_t position,
                           uint32_t depth);

/* How many functions of the program the position is in, with those that were inlined; 0: nothing is
 * known of the code there. */
uint32_t routines_depth(struct routines *r, struct places *places, uint64_t position);

#endif
