/* Executions that show a finding: from the steps of a model to the segments of the trace's tasks,
 * and back to doubt. The checker shares only the orders and sections of order/ with the search, and
 * refuses its wrong answers. */
#ifndef CLEW_ATOMICITY_EXECUTION_H
#define CLEW_ATOMICITY_EXECUTION_H

#include <stdbool.h>

#include "atomicity/decide_order.h"
#include "atomicity/sync_skeleton.h"
#include "base/err.h"
#include "base/vec.h"

typedef VEC(event_id) event_list;

/* A stretch between two context switches: the task goes on until `end` of its events have
 * happened. */
struct segment {
    uint32_t task;
    uint32_t end;
};

/* The beginning of an execution: each task executes its events before some place of the list, in
 * the order of the list; then the segments follow each other. {0} is empty. */
struct segments {
    VEC(event_id) begin; /* per task; empty: none has done anything */
    VEC(struct segment) list;
};

/* Appends a segment that ends with this event; one that goes on with the last segment's task makes
 * that longer. */
void segments_add(struct segments *x, const struct frame *f, event_id event);

/* Appends the steps of a model: before each, the events of its task since the step before. */
void segments_add_steps(struct segments *x, const struct model *m, const struct stretch *steps,
                        size_t count);

void segments_release(struct segments *x);

/* Appends the events of x to the list. */
void segments_events(const struct segments *x, const struct frame *f, event_list *events);

struct execution_claim {
    const struct segments *segments;
    const event_id *places; /* that happen in it in this order */
    size_t place_count;
};

/* 0 when it can happen: tasks go forward, an event comes after all those that must precede it, no
 * two tasks hold a lock that excludes one, no version changes between its access and the write that
 * asks for it; and the places come in their order. Else -1, and e says which event could not
 * happen, and why. Where tasks have begun as listed, the list must be an execution
 * (execution_is_listed). O(tasks^2
 * + segments + locks taken and orders in the segments; where versions are checked, events in all of
 * it).
 */
MUST_USE int execution_check(const struct frame *f, const struct execution_claim *c, struct err *e);

/* True when the list itself is an execution, so that any part of it can be how one begins.
 * O(events). */
bool execution_is_listed(const struct frame *f);

/* True when every read in it but a task's last event sees the write it saw in the trace. */
bool execution_keeps_reads(const struct frame *f, const struct segments *x);

/* True when every version that a task has seen, and asks for behind the execution's end, is still
 * the resource's version there. Otherwise the execution can happen, but its task's conditional
 * write is then refused, other than in the trace. O(events of it + sections of version checks). */
bool execution_keeps_versions(const struct frame *f, const struct segments *x);

#endif
