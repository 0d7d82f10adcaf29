/* Relaxes a trace: removes order that only this run had. Another sender could have satisfied a
 * receive, and a wait may end without a notify. The trace has the run's order; the relaxed trace
 * has only the order that every schedule of the program keeps, whatever a receive returns:
 *
 *   - A receive of an eventfd, of a queue of messages that are all equal, of equal pieces of a
 *     stream or equal datagrams, of a signal, of a connection, or of the end of any child takes
 *     one unit, if several tasks send or several receive. It becomes a SEM_WAIT, and each
 *     matching send a SEM_POST: the wait may take any of them.
 *   - A read whose value another task could have written orders nothing (race/other_writers.h).
 *   - Read-modify-writes of several tasks, none of which decides anything by the old value,
 * commute.
 *   - A barrier whose rounds have different tasks orders nothing.
 *   - With RELAX_IGNORED and nothing else, a lock or semaphore that was taken by a call that may
 * give up, and whose result the program ignores, is not taken.
 *   - With RELAX_ONCES and nothing else, a one-time routine that uses locks may be run by any of
 * its callers, so that what a task did before its call is not ordered with the other calls. What a
 * routine has written, its reader's task may have written.
 *   - With RELAX_WAITS, a wait for a condition in code that reports its accesses needs no notify:
 *     it may have woken up spuriously.
 *
 * A pair of places that the relaxed trace refutes is no race. One that only the relaxed trace
 * allows may be one: it depends on whether the program uses the result of the receive, which is not
 * known (docs/theory/races-semantics.md, What a run leaves open). */
#ifndef CLEW_RACE_SYNC_RELAXATION_H
#define CLEW_RACE_SYNC_RELAXATION_H

#include "trace/trace.h"

enum relaxation { RELAX_IGNORED, RELAX_ONCES, RELAX_SENDERS, RELAX_WAITS /* and senders */ };

/* The relaxed trace, with the numbers of t, in *relaxed, which shares the tables of t. False when
 * nothing of that kind is relaxed: then *relaxed is empty. O(events). */
bool relaxation_build(const struct trace *t, enum relaxation what, struct trace *relaxed);
void relaxation_release(struct trace *relaxed);

#endif
