/* Numbers for (scope, object): dense, in the order of appearance. Nearly always an object is met on
 * one node only; that one is found by indexing, the others by hashing. An object whose name belongs
 * to the whole trace (trace/name_scope.h) has one number on all nodes. */
#ifndef CLEW_RACE_SCOPED_IDS_H
#define CLEW_RACE_SCOPED_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/name_scope.h"

/* No node: the object's name belongs to the whole trace. */
#define SCOPED_EVERYWHERE (UINT32_MAX - 1)

struct scoped_first {
    uint32_t node;   /* or SCOPED_EVERYWHERE */
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
uint32_t scoped_other(struct scoped *s, const struct names *names, uint32_t node, uint32_t object);

/* The number of this object, used on this node; s->count grows by one when it is new. The node may
 * be SCOPE_WHOLE_TRACE, for an object that belongs to the whole trace whatever its name is. */
static inline uint32_t scoped_number(struct scoped *s, const struct names *names, uint32_t node,
                                     uint32_t object)
{
    if (object < s->firsts.count) {
        const struct scoped_first *first = &s->firsts.at[object];
        if (first->number != 0 && (first->node == node || first->node == SCOPED_EVERYWHERE)) {
            return first->number - 1;
        }
    }
    return scoped_other(s, names, node, object);
}

#endif
