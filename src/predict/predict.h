/* From the exact trace of a run to what further runs could aim at: each deadlock, atomicity
 * violation and race that clew predicts from the trace becomes wishes of a plan.
 *
 *     deadlock    tasks that ask for each other's locks: the places where they ask are held, until
 *                 all of them stand there
 *     atomicity   accesses of one task that another's could come between: the first comes before
 *                 what conflicts with it, the next is held
 *     race        accesses that could come the other way round: the one that came first waits for
 *                 the other
 *
 * A prediction may be wrong: wishes are soft, so the run that aims at it is a run of the program
 * all the same. */
#ifndef CLEW_PREDICT_PREDICT_H
#define CLEW_PREDICT_PREDICT_H

#include "trace/trace.h"
#include "world/aim.h"
#include "world/world.h"

/* Adds what the trace of the execution predicts, deadlocks first. The trace is sealed, and x says
 * which step each of its events was (event_steps). Traces of more than PREDICT_EVENTS_MAX events
 * are passed over, and so is what takes the engines too many steps: nothing here depends on time.
 */
enum { PREDICT_EVENTS_MAX = 4000 };
void predict_aims(const struct trace *t, const struct execution *x, struct aims *aims);

#endif
