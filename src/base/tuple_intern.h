/* Interned tuples of four numbers: equal tuples get equal numbers, in the order of first
 * appearance. Number 0 is unused. A tuple may contain the numbers of others.
 *
 *     struct tuples t = {0};
 *     uint32_t number = tuples_intern(&t, (struct tuple){{line, kind}});      1
 *     tuples_release(&t);
 */
#ifndef CLEW_BASE_TUPLE_INTERN_H
#define CLEW_BASE_TUPLE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct tuple {
    uint32_t words[4];
};

/* {0} is empty. */
struct tuples {
    VEC(struct tuple) list; /* number 1 first */
    uint32_t *slots;        /* numbers; 0 is free */
    size_t slot_count;
};

/* The number of this tuple, which is added when new. */
uint32_t tuples_intern(struct tuples *t, struct tuple tuple);

void tuples_release(struct tuples *t);

#endif
