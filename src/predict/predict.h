/* Predictions from the exact trace of a run as aims of further runs: each deadlock, atomicity
 * violation and race that clew predicts from the trace becomes soft constraints of a plan.
 *
 *     deadlock    tasks that request each other's locks: the places of these requests are held,
 *                 until all of them are reached
 *     atomicity   accesses of one task that another's could come between: the first precedes
 *                 the conflicting access, the next is held
 *     race        accesses that could occur in the other order: the one that came first waits for
 *                 the other
 *
 * A prediction may be wrong: the constraints are soft, so the run that aims at it is a run of the
 * program in any case. */
#ifndef CLEW_PREDICT_PREDICT_H
#define CLEW_PREDICT_PREDICT_H

#include "trace/trace.h"
#include "world/aim.h"
#include "world/world.h"

/* Adds the predictions from the trace of the execution, deadlocks first. The trace is sealed, and x
 * has the step of each of its events (event_steps). Traces of more than PREDICT_EVENTS_MAX events
 * are skipped, and so are predictions that take the engines too many steps: nothing here depends on
 * time. */
enum { PREDICT_EVENTS_MAX = 4000 };
void predict_aims(const struct trace *t, const struct execution *x, struct aims *aims);

#endif
