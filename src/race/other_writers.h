/* Reads whose value another task could have written: they prove no order.
 *
 *   - A read of one of several equal writes (`done = true`), by different tasks, with no other
 * value in between. The values of atomic stores and of stores of constants are known.
 *   - A read of a counter (`done++`) that an update of another task could have raised as well.
 *
 * A later write counts only if nothing leads to it from the read: not one of the next round. */
#ifndef CLEW_RACE_OTHER_WRITERS_H
#define CLEW_RACE_OTHER_WRITERS_H

#include "base/arena.h"
#include "base/bits.h"
#include "trace/trace.h"

/* The reads, in the arena, and in *count how many. O(events), and for each read of such a variable
 * O(events up to the next write by another task), within a limit. */
struct bits other_writers_find(const struct trace *t, struct arena *a, size_t *count);

#endif
