/* Keys for the names in events: a name with the node it belongs to, or with the whole trace
 * (trace/name_scope.h). The locks of several processes (fcntl, flock, process-shared) belong to the
 * whole trace, regardless of their names. */
#ifndef CLEW_ORDER_OBJECT_KEY_H
#define CLEW_ORDER_OBJECT_KEY_H

#include "base/map.h"
#include "trace/kind_table.h"
#include "trace/name_scope.h"
#include "trace/trace.h"

/* The name in the scope of this event: a key for maps, its scope in the upper half. */
static inline uint64_t scope_name(const struct trace *t, const struct event *e, uint32_t name)
{
    return map_pair(scope_of(&t->tables.names, trace_node_of(t, e), name), name);
}

/* The lock of a LOCK or UNLOCK. */
static inline uint64_t scope_lock(const struct trace *t, const struct event *e)
{
    return lock_mode_is_across_processes(e->mode) ? map_pair(SCOPE_WHOLE_TRACE, e->object)
                                                  : scope_name(t, e, e->object);
}

#endif
