/* Record locks on files (fcntl, lockf) belong to a process: they exclude no thread of it.
 *
 *     struct trace replaced;
 *     t = file_locks_replace(t, &replaced);
 *     ...
 *     file_locks_release(&replaced);
 */
#ifndef CLEW_RACE_FILE_LOCK_H
#define CLEW_RACE_FILE_LOCK_H

#include "trace/trace.h"

/* The trace in which taking and releasing a record lock that several tasks of one process use, and
 * no other process, does nothing; everything else, and all numbers, as in t. It is t itself when
 * there are no such locks, else *replaced, which shares the tables of t. A lock that several
 * processes use is left alone, also between the threads of each. O(events). */
const struct trace *file_locks_replace(const struct trace *t, struct trace *replaced);
void file_locks_release(struct trace *replaced);

#endif
