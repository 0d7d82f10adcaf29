/* Locks on files exclude their owners from each other, and nobody else. A record lock (fcntl,
 * lockf) belongs to a process; one of flock belongs to an open file description, which the value of
 * its events tells: threads and children that use one descriptor share it.
 *
 *     struct trace replaced;
 *     t = file_locks_replace(t, &replaced);
 *     ...
 *     file_locks_release(&replaced);
 */
#ifndef CLEW_RACE_FILE_LOCK_OWNERS_H
#define CLEW_RACE_FILE_LOCK_OWNERS_H

#include "trace/trace.h"

/* The trace in which taking and releasing a file's lock that several tasks use, all for one owner,
 * does nothing; everything else, and all numbers, as in t. It is t itself when there are no such
 * locks, else *replaced, which shares the tables of t. A lock of several owners is left alone, also
 * between the tasks of each. O(events). */
const struct trace *file_locks_replace(const struct trace *t, struct trace *replaced);

/* A lock of several owners excludes the tasks of one owner from nobody of that owner. In *relaxed
 * the locks of owners with several tasks do nothing, which is right between two such tasks and
 * nowhere else. False when there are none: then it is empty. O(events). */
bool file_locks_relax(const struct trace *t, struct trace *relaxed);

void file_locks_release(struct trace *replaced);

#endif
