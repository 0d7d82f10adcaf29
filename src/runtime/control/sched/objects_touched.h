/* What an operation that a task has announced touches, as the strategies of pick/ compare it. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_OBJECTS_TOUCHED_H
#define CLEW_RUNTIME_CONTROL_SCHED_OBJECTS_TOUCHED_H

struct pick_operation;
struct task;

/* Fills in the objects of the task's next operation (task.act, task.object): what it reads and
 * writes, the bytes of an access, what it waits for and what it gives to others who wait. */
void objects_touched(struct pick_operation *o, const struct task *t);

#endif
