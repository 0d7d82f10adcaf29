/* What an event came of on another task: a receive of its send, an accepted connection of whoever
 * asked for it, the first of a task of its creation, a join of the end it waited for. */
#ifndef CLEW_ORDER_CAUSE_H
#define CLEW_ORDER_CAUSE_H

#include "base/arena.h"
#include "trace/trace.h"

/* Of each event of t what it came of, EVENT_NONE when that is nothing, or not in the trace; of
 * several a send rather than a creation, and of sends (a message in pieces) the first in the list.
 * Lives in the arena. O(events). */
const event_id *causes_build(const struct trace *t, struct arena *a);

#endif
