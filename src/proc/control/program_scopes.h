/* The operations and scopes of a controlled run, for its trace: the rounds of loops and the calls
 * that contain each access, as a recording has them (proc/record/operations.h,
 * proc/record/call_scopes.h).
 *
 *     struct control_scopes s = {.c = c, .trace = trace};
 *     control_scopes_follow(&s, &steps[i], task);      appends events that come before the step's
 *     control_scopes_release(&s);
 *
 * A step has the calls that its task is in. Where they are not known (the task has jumped out of
 * functions, or is in too many) the rest of the task is one operation. */
#ifndef CLEW_PROC_CONTROL_PROGRAM_SCOPES_H
#define CLEW_PROC_CONTROL_PROGRAM_SCOPES_H

#include "proc/control/program_state.h"
#include "proc/record/call_scopes.h"

struct control_task_calls {
    struct operations operations;
    struct scopes scopes;
    uint32_t operation; /* that the trace has */
};

struct control_scopes {
    struct controlled *c;
    struct trace *trace;
    VEC(struct control_task_calls) tasks; /* by number */
    uint64_t epoch;                       /* one for each step */
};

/* The step is one of the task with this name in the trace. */
void control_scopes_follow(struct control_scopes *s, const struct control_step *step,
                           uint32_t task);
void control_scopes_release(struct control_scopes *s);

#endif
