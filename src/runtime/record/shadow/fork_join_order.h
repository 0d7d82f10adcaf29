/* Which tasks have come before the calling one by creation and join alone.
 *
 * A task's life is cut into phases: it begins a new one with each task it creates. What a task did
 * in a phase before a creation comes before everything the created task does; what a task did at
 * all comes before what follows its join. Unlike the order of locks, this order holds in every
 * other execution too. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_FORK_JOIN_ORDER_H
#define CLEW_RUNTIME_RECORD_SHADOW_FORK_JOIN_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { KIN_PHASE_MAX = (1 << 14) - 1 };

/* The calling task is about to create task `child`: its phase ends. */
void fork_join_create(uint32_t child);

/* The calling task has joined task `child`. */
void fork_join_join(uint32_t child);

/* True when all that another task did in this phase, and before it, comes before what the calling
 * task does now. May be false although it is so: not every path of creations and joins is
 * followed. */
bool fork_join_is_past(uint32_t task, uint32_t phase);

#endif
