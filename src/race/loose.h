/* Loosens a trace: removes order that only this run had. Another sender could have satisfied a
 * receive, and a wait may end without a notify. The trace has the run's order; the loosened trace
 * has only the order that every schedule of the program keeps, whatever a receive returns:
 *
 *   - A receive of an eventfd, of a queue of messages that are all equal, of equal pieces of a
 *     stream or equal datagrams, of a signal, of a connection, or of the end of any child takes
 *     one unit, if several tasks send or several receive. It becomes a SEM_WAIT, and each
 *     matching send a SEM_POST: the wait may take any of them.
 *   - A barrier whose rounds have different tasks orders nothing.
 *   - With LOOSE_WAITS, a wait for a condition in code that reports its accesses needs no notify:
 *     it may have woken up spuriously.
 *
 * A pair of places that the loosened trace refutes is no race. One that only the loosened trace
 * allows may be one: it depends on whether the program uses the result of the receive, which is not
 * known (docs/theory/races-semantics.md, What a run leaves open). */
#ifndef CLEW_RACE_LOOSE_H
#define CLEW_RACE_LOOSE_H

#include "trace/trace.h"

enum loose { LOOSE_SENDERS, LOOSE_WAITS /* and senders */ };

/* The loosened trace, with the numbers of t, in *loosened, which shares the tables of t. False when
 * nothing of that kind is loosened: then *loosened is empty. O(events). */
bool loose_build(const struct trace *t, enum loose what, struct trace *loosened);
void loose_release(struct trace *loosened);

#endif
