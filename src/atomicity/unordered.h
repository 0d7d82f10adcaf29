/* Check-then-act on an atomic variable whose own loads order the tasks.
 *
 *     T1: load n (1); add n (2)         T2: load n (2); add n (3)
 *
 * T2's load saw T1's update, so that happens-before puts all of T1 before all of T2, and nothing
 * could come between. But another schedule changes the value that the load saw. So
 * where nothing was found under the whole order, the question is asked once more without the edges
 * of the variable itself: if it orders nothing else, and if each load still finds a zero where it
 * found one, and another value where it did not. */
#ifndef CLEW_ATOMICITY_UNORDERED_H
#define CLEW_ATOMICITY_UNORDERED_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/sync_skeleton.h"

/* Builds f from the trace of `full` without the edges of the atomic variable. False, and f is not
 * to be used, when the variable orders conflicting plain accesses that nothing else does: then it
 * is a lock or a hand-over, and the program waits for its loads. O(frame_build + accesses
 * * tasks). */
bool unordered_build(struct frame *f, const struct frame *full, uint32_t variable);

/* Whether the loads of the variable in an execution, but for those that are their task's last event
 * in it, are zero where they were zero in the trace. Updates add the same amounts. True where the
 * trace has no values. O(events). */
bool unordered_keeps_tests(const struct frame *f, uint32_t variable, const event_id *events,
                           size_t count);

#endif
