/* Variables whose accesses a recording has lost: an event `lost` says that a task has used the
 * memory before, while it was the task's alone, or may have used it again in the same epoch
 * (docs/theory/record.md).
 *
 *     T1:  read n (not recorded)  write n        T2:  write n
 *
 * An access that was lost may be one of a couple. It matters only where another task's access could
 * have come between: it conflicts, and neither creation, joining, publication, handing over nor
 * waiting keeps it away. */
#ifndef CLEW_ATOMICITY_LOST_ACCESSES_H
#define CLEW_ATOMICITY_LOST_ACCESSES_H

#include <stdint.h>

#include "atomicity/sync_skeleton.h"
#include "base/notes.h"

/* Counts the variables for which it matters, and notes them with the remedy. O(lost events *
 * accesses of their variables), and the cost of handover.h. */
uint64_t lost_count(const struct frame *f, struct notes *n);

#endif
