/* Numbers for (node, object): dense, in the order of appearance. Nearly always an object has one
 * node; that one is found by indexing, the others by hashing. */
#ifndef CLEW_RACE_SCOPED_H
#define CLEW_RACE_SCOPED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct scoped_first {
    uint32_t node;
    uint32_t number; /* plus one; 0: no node has this object yet */
};

/* {0} is empty. */
struct scoped {
    VEC(struct scoped_first) firsts; /* by object */
    struct map others;
    uint32_t count;
};

void scoped_release(struct scoped *s);

/* The number for an object not met on its first node: the slow part of scoped_number. */
uint32_t scoped_other(struct scoped *s, uint32_t node, uint32_t object);

/* The number of this object of this node; s->count grows by one when it is new. */
static inline uint32_t scoped_number(struct scoped *s, uint32_t node, uint32_t object)
{
    if (object < s->firsts.count && s->firsts.at[object].node == node &&
        s->firsts.at[object].number != 0) {
        return s->firsts.at[object].number - 1;
    }
    return scoped_other(s, node, object);
}

#endif
