/* Blocks that one task hands over to another: a queue, a pool of buffers, a free list of its own.
 *
 *     A:  W p->n   lock m   queue = p   unlock m
 *     B:           lock m   p = queue   unlock m   W p->n
 *
 * Locks alone let B come first. But B knows p only because it read `queue` after A had written it,
 * under a lock that both held. B reads the same value there in every execution that takes
 * the same path: the write comes before the read.
 *
 * This relation holds happens-before, and each such write before its read, for all variables but
 * the blocks and elements that the question is about, whose values a violation changes. A counter
 * (a read and a write of one variable at one place, nothing between) hands nothing over. It is used
 * for blocks of the heap and elements of arrays alone, which are reached through a pointer or an
 * index. */
#ifndef CLEW_ATOMICITY_HANDOVER_H
#define CLEW_ATOMICITY_HANDOVER_H

#include <stdbool.h>

#include "atomicity/sync_skeleton.h"
#include "base/arena.h"
#include "base/vec.h"

/* `from` comes before `to`: by happens-before (variable: VARIABLE_NONE), or because `to` has read
 * the value that `from` wrote. */
struct handover_edge {
    event_id from, to;
    uint32_t variable;
};

/* Open for reading. */
struct handover {
    const struct frame *f;
    VEC(struct handover_edge) edges; /* by `to` */
    event_id *upto;     /* per task: its last event that comes before, while a question is asked */
    uint64_t step_left; /* edges that questions may still pass */
    struct arena arena;
};

/* Builds it for a frame, which must outlive h. O(accesses * locks held there). */
void handover_build(struct handover *h, const struct frame *f);
void handover_release(struct handover *h);

/* Whether the variable is part of a block or an element, so that it can be handed over. */
bool handover_concerns(const struct frame *f, uint32_t variable);

/* Whether the access a comes before the access b, by handing over variables other than x and y
 * (VARIABLE_NONE: none). False when the limit of edges is spent. O(edges between a and b). */
bool handover_is_before(struct handover *h, event_id a, event_id b, const uint32_t variables[2]);

#endif
