/* The direct cause of an event on another task: the send of a receive, the connect of an accept,
 * the creation of a task for its first event, the end of a task for its join. */
#ifndef CLEW_ORDER_CAUSE_H
#define CLEW_ORDER_CAUSE_H

#include "base/arena.h"
#include "trace/trace.h"

/* The cause of each event of t; EVENT_NONE when there is none in the trace. Of several causes a
 * send precedes a creation, and of sends (a message in pieces) the first in the list counts. Lives
 * in the arena. O(events). */
const event_id *causes_build(const struct trace *t, struct arena *a);

#endif
