/* What orders tasks besides messages and locks: creating and joining them, atomics, semaphores,
 * barriers, one-time initialization, and annotations. */
#ifndef CLEW_ORDER_SYNC_H
#define CLEW_ORDER_SYNC_H

#include "base/notes.h"
#include "order/context.h"
#include "order/graph.h"
#include "trace/trace.h"

/* Adds the edges; notes children that never start. O(events + edges). */
void sync_add(struct edges *edges, const struct trace *t, const struct contexts *c,
              struct notes *n);

#endif
