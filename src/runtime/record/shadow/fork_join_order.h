/* The part of happens-before that follows from thread creation and join alone.
 *
 * A task's life is divided into phases: each creation of a task begins a new one. The events of a
 * phase before a creation happen before all events of the created task. All events of a task happen
 * before those after its join. Unlike the order of critical sections, this order is the same in
 * every execution. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_FORK_JOIN_ORDER_H
#define CLEW_RUNTIME_RECORD_SHADOW_FORK_JOIN_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { FORK_JOIN_PHASE_MAX = (1 << 14) - 1 };

/* The calling task is about to create task `child`: its phase ends. */
void fork_join_create(uint32_t child);

/* The calling task has joined task `child`. */
void fork_join_join(uint32_t child);

/* True if all events of that task in this phase, and before it, happen before the calling task's
 * next one. May be false although they do: not every path of creations and joins is followed. */
bool fork_join_is_past(uint32_t task, uint32_t phase);

#endif
