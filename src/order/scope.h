/* Whose a name is: variables, locks, conditions and the like belong to the node of the task that
 * names them, the locks of several processes to the whole trace. */
#ifndef CLEW_ORDER_SCOPE_H
#define CLEW_ORDER_SCOPE_H

#include "base/map.h"
#include "trace/kind.h"
#include "trace/trace.h"

#define SCOPE_WHOLE_TRACE UINT32_MAX

/* A name as seen by this event: a key for maps, its node in the upper half. */
static inline uint64_t scope_name(const struct trace *t, const struct event *e, uint32_t name)
{
    return map_pair(trace_node_of(t, e), name);
}

/* The lock that a LOCK or UNLOCK speaks of. */
static inline uint64_t scope_lock(const struct trace *t, const struct event *e)
{
    return lock_mode_is_across_processes(e->mode) ? map_pair(SCOPE_WHOLE_TRACE, e->object)
                                                  : scope_name(t, e, e->object);
}

#endif
