/* Executions that show a finding: from the steps of a model to the turns of the trace's tasks, and
 * back to doubt. The checker shares only the orders and sections of order/ with the search, and
 * refuses its wrong answers. */
#ifndef CLEW_ATOMICITY_EXECUTION_H
#define CLEW_ATOMICITY_EXECUTION_H

#include <stdbool.h>

#include "atomicity/decide_order.h"
#include "atomicity/sync_skeleton.h"
#include "base/err.h"
#include "base/vec.h"

typedef VEC(event_id) event_list;

/* A task goes on with its events until this number of them have happened. */
struct turn {
    uint32_t task;
    uint32_t end;
};

/* The beginning of an execution: each task executes its events before some place of the list, in
 * the order of the list; then they take turns. {0} is empty. */
struct turns {
    VEC(event_id) begin; /* per task; empty: none has done anything */
    VEC(struct turn) list;
};

/* Appends a turn that ends with this event; one that goes on with the last turn's task makes that
 * longer. */
void turns_add(struct turns *x, const struct frame *f, event_id event);

/* Appends the steps of a model: before each, the events of its task since the step before. */
void turns_add_steps(struct turns *x, const struct model *m, const struct stretch *steps,
                     size_t count);

void turns_release(struct turns *x);

/* Appends the events of x to the list. */
void turns_events(const struct turns *x, const struct frame *f, event_list *events);

struct execution_claim {
    const struct turns *turns;
    const event_id *places; /* that happen in it in this order */
    size_t place_count;
};

/* 0 when it can happen: tasks go forward, an event comes after all those that must precede it, no
 * two tasks hold a lock that excludes one, no version changes between its access and the write that
 * asks for it; and the places come in their order. Else -1, and e says which event could not
 * happen, and why. Where tasks have begun as listed, the list must be an execution
 * (execution_is_listed). O(tasks^2
 * + turns + locks taken and orders in the turns; where versions are checked, events in all of it).
 */
MUST_USE int execution_check(const struct frame *f, const struct execution_claim *c, struct err *e);

/* True when the list itself is an execution, so that any part of it can be how one begins.
 * O(events). */
bool execution_is_listed(const struct frame *f);

/* True when every read in it but a task's last event sees the write it saw in the trace. */
bool execution_keeps_reads(const struct frame *f, const struct turns *x);

/* True when every version that a task has seen, and asks for behind the execution's end, is still
 * the resource's version there. Otherwise the execution can happen, but its task's conditional
 * write is then refused, other than in the trace. O(events of it + sections of version checks). */
bool execution_keeps_versions(const struct frame *f, const struct turns *x);

#endif
