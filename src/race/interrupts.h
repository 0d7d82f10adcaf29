/* Signal handlers that could have run at another time. The run has each where its task was
 * interrupted. Another schedule delivers the signal earlier or later, or to another thread: all
 * that comes before the handler is what comes before the signal was sent, or its timer armed. */
#ifndef CLEW_RACE_INTERRUPTS_H
#define CLEW_RACE_INTERRUPTS_H

#include "trace/trace.h"

/* The trace in which the handlers of each task are a task of their own, behind those that sent the
 * signals. A handler keeps its place that follows right behind a signal that its own task has sent
 * (`raise`), or whose sender is not in the trace. False when there is no other: then *relaxed is
 * empty. O(events). */
bool interrupts_relax(const struct trace *t, struct trace *relaxed);
void interrupts_release(struct trace *relaxed);

/* Whether a handler without accesses ran when there was no other task, in a run that had some. Not
 * one that keeps its place. A controlled run has no accesses of a task that is alone. O(events). */
bool interrupts_hide_accesses(const struct trace *t);

#endif
