/* Executions that show a finding: from the steps of a model to events of the trace, and back to
 * doubt. The checker shares only what order/ says with the search: what that gets wrong, this
 * refuses.
 */
#ifndef CLEW_ATOMICITY_EXECUTION_H
#define CLEW_ATOMICITY_EXECUTION_H

#include <stdbool.h>

#include "atomicity/decide.h"
#include "atomicity/frame.h"
#include "base/err.h"
#include "base/vec.h"

typedef VEC(event_id) event_list;

/* Appends the events of an execution: before each step, what its task did since the one before. */
void execution_expand(const struct model *m, const struct place *steps, size_t count,
                      event_list *events);

struct execution_claim {
    const event_id *events; /* the execution */
    size_t count;
    const event_id *places; /* that stand in it in this order */
    size_t place_count;
};

/* 0 when the events are an execution's beginning: of each task a prefix of its list, what must come
 * before an event comes before it, no two tasks hold a lock that excludes one, no version changes
 * between a read and the write that asks for it; and the places come in their order. Else -1, and e
 * says which event could not happen, and why. Linear. */
MUST_USE int execution_check(const struct frame *f, const struct execution_claim *c, struct err *e);

/* True when, in these events, every read but a task's last event sees the write it saw in the
 * trace. */
bool execution_keeps_reads(const struct frame *f, const event_id *events, size_t count);

#endif
