/* Which functions a task is in, as code built by `clew cc` tells by entering and leaving them.
 *
 * What called what is a tree: a path is the place of a call and the path that it was made on. Paths
 * have numbers, from a table that lies in a file of the recording (wire/segment.h). An access says
 * its place and its path in one word, so that it goes with the place through trails and records. */
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

/* Tells the collector which of the task's outermost calls have changed since it was told last
 * (RECORD_CALL): from these it knows the task's operations. The caller is making a record, and
 * task->moved is not 0. */
void calls_tell(struct rt_task *task);

/* The place together with the calling task's path. */
static inline uint64_t calls_place(const void *place)
{
    return (uintptr_t)place | rt_self.calls;
}

#endif
