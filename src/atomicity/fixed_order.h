/* Conflicts whose order no execution can change, although the model of a variable does not know it:
 *
 * - Creation: a task writes x, creates another that writes x, and reads x. The first write comes
 *   before the new task, whatever the schedule. Joining a task orders its accesses in the same way.
 * - Publication: a task allocates a block and writes to it. Nobody else can reach the block before
 *   that task has released anything since the allocation.
 * - Free: a recording has a write of every word that is freed. The task gives the block back: its
 *   last accesses are no operation with that. That another still uses the block is a race.
 *
 * A pattern needs two conflicts that go opposite ways. Where one of them is settled, the program
 * orders the two tasks there on purpose, and the pattern is most often how it hands data over. */
#ifndef CLEW_ATOMICITY_FIXED_ORDER_H
#define CLEW_ATOMICITY_FIXED_ORDER_H

#include <stdbool.h>

#include "base/arena.h"
#include "order/hb.h"
#include "order/reachability.h"

enum settled_by {
    SETTLED_NOT,
    SETTLED_CREATION,    /* by creating and joining tasks */
    SETTLED_PUBLICATION, /* the block was not published yet */
    SETTLED_FREE,        /* an access is that of freeing the block */
    SETTLED_HANDOVER,    /* the block is handed over between the tasks, see handover.h */
    SETTLED_CALLS,       /* this and the following: see separate_operations.h */
    SETTLED_LOOP,
    SETTLED_ACTIONS,
    SETTLED_WAIT,
    SETTLED_COMPARED,
    SETTLED_ASSERTED,
    SETTLED_SYNC,
    SETTLED_COUNT
};

/* Open for reading. */
struct settled {
    const struct contexts *contexts;
    struct edges edges; /* of creation and joining alone */
    struct graph graph;
    struct reach before;
    const bool *is_private; /* per event: an access to a block that is not published yet */
    const bool *is_freeing; /* per event: a write that stands for freeing its block */
    struct arena arena;
};

/* Builds the relation from a trace and its happens-before, both of which must outlive s.
 * O(events + joins * tasks). */
void settled_build(struct settled *s, const struct trace *t, const struct hb *hb);
void settled_release(struct settled *s);

/* Why the access a comes before the access b of another task in every execution; SETTLED_NOT: it is
 * not known to. O(1). */
enum settled_by settled_order(const struct settled *s, event_id a, event_id b);

#endif
