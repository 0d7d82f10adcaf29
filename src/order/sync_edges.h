/* Synchronization edges besides messages and locks: creation and join of tasks, atomics,
 * semaphores, barriers, one-time initialization, and annotations. */
#ifndef CLEW_ORDER_SYNC_EDGES_H
#define CLEW_ORDER_SYNC_EDGES_H

#include "base/notes.h"
#include "order/context.h"
#include "order/once.h"
#include "order/order_graph.h"
#include "order/semaphore.h"
#include "trace/trace.h"

/* Which of the observed orders to add. */
enum sync_scope {
    SYNC_EVERY_SCHEDULE, /* those that another schedule of the same program would keep */
    SYNC_THIS_SCHEDULE,  /* also those of this execution only */
};

struct sync_options {
    enum sync_scope scope;
    const struct semaphores *semaphores; /* NULL: they order nothing */
    const struct onces *onces;           /* objects whose ONCEs are sections; NULL: none */
};

/* Adds the edges; notes children that never start. O(events + edges), and for semaphores that leave
 * a choice waits * posting contexts. */
void sync_add(struct edges *edges, const struct trace *t, const struct contexts *c,
              const struct sync_options *o, struct notes *n);

#endif
