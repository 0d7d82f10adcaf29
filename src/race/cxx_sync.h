/* Synchronization that the C++ library and compiler make of atomic operations. Judged as such, it
 * would keep the order that its counter or flag had in the run. Replaced by what it is:
 *
 *   - The guard of a variable that is static in a function: its initialization is the routine of a
 *     once, and each load that finds it made is a ONCE (order/once.h).
 *   - std::counting_semaphore: a release is a SEM_POST, an acquire that succeeds a SEM_WAIT. Not
 *     where a release raises it by more than one.
 *
 * Names say which variables these are: "guard variable for f()::v", and functions of
 * semaphore_base.h around the operation. */
#ifndef CLEW_RACE_CXX_SYNC_H
#define CLEW_RACE_CXX_SYNC_H

#include "trace/trace.h"

/* The trace with these replaced, in *replaced, which shares the tables of t; t itself where there
 * are none. O(events). */
const struct trace *cxx_sync_replace(const struct trace *t, struct trace *replaced);
void cxx_sync_release(struct trace *replaced);

#endif
