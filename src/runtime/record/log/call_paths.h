/* The call stack of each task: code built by `clew cc` reports each function that it enters and
 * leaves.
 *
 * The calls form a tree (a calling context tree): a path is the place of a call together with the
 * path of its caller. Paths are numbered in a table, a file of the recording (wire/segment.h). Path
 * and place of an access share one word, which trails and records carry. */
#ifndef CLEW_RUNTIME_RECORD_LOG_CALL_PATHS_H
#define CLEW_RUNTIME_RECORD_LOG_CALL_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/record/log/recorder.h"

/* Begins to follow the calls, for stacks if they are wanted, and in any case for handlers. */
void calls_start(bool wants_stacks, bool has_handlers);

/* In a child that has just been forked: the table is the parent's. */
void calls_forked(void);

/* The place of a call that allocates or releases memory or takes a lock, together with up to `most`
 * calls around it (wire/segment.h, origins). */
uint64_t calls_origin(const void *place, uint32_t most);

/* Whether places come with the calling task's path. */
bool calls_has_paths(void);

/* The place of such a call in code built by `clew cc`, which may have made it through a library,
 * together with the calling task's path. */
const void *calls_of_program(const void *place);

/* Records the outermost calls of the task that have changed since the last time (RECORD_CALL), from
 * which the collector derives the task's operations. Called while a record is made, if task->moved
 * is not 0. */
void calls_record(struct rt_task *task);

/* The place together with the calling task's path. */
static inline uint64_t calls_place(const void *place)
{
    return (uintptr_t)place | rt_self.calls;
}

#endif
