/* Signals that a controlled program sends to itself: pending until a task is chosen to take them.
 *
 * A signal for a task, or for any that does not block it, is offered beside what the task is about
 * to do: chosen first, its handler runs on the task's stack, and then the task says again what it
 * was about to do, or its call is interrupted. Faults are the processor's and end the run, unless
 * the program has a handler for them. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_PENDING_SIGNALS_H
#define CLEW_RUNTIME_CONTROL_MODEL_PENDING_SIGNALS_H

#include <signal.h>

#include "runtime/control/sched/run_control.h"

void signals_start(void);
/* Before the first run: what the program asked for by now, it has in every run. */
void signals_save(void);
void signals_begin(void);
/* What the kernel was told is put back. */
void signals_restore(void);

/* Holds off what comes from outside; gives back what was held off before, and that is put back. */
uint64_t signals_hold(void);
void signals_release(uint64_t before);

/* A process is forked: it does with signals as the caller's does, and none waits for it. The child
 * lets those through again that were held off meanwhile. */
void signals_inherit(const struct process *child);
void signals_adopt(void);

/* The process has become another program: handlers are gone, what is ignored stays so. */
void signals_exec(void);

/* Whether children of the process leave nothing to wait for, as it has asked. */
bool signals_keep_no_zombies(const struct process *parent);

/* The caller is no task any more but a process of its own: the kernel has what the program asked
 * for. */
void signals_leave(void);

/* The process has a child that is not controlled: the kernel tells of its end. (The ends of others
 * are the scheduler's, and the kernel is not asked for them.) */
void signals_tell_children(void);

/* As sigaction(2). */
int signals_act(int signal, const struct sigaction *action, struct sigaction *before);

/* Sending a signal to a task, or to the process (NULL), comes before what its taker does then: an
 * event of one side. */
void signals_order(enum event_kind kind, const struct task *t, int signal, const void *place);

/* The signal is sent to a task; to the process where that is NULL. False when too many wait. */
bool signals_post(struct task *t, const siginfo_t *info);

/* The same to another process. */
bool signals_post_to(const struct process *p, const siginfo_t *info);

/* The same of one that the caller takes now, as if it had come from the instruction under way,
 * unless it blocks it. */
bool signals_raise(struct task *t, const siginfo_t *info);

/* The signal that the task would take next, 0 when there is none. */
int signals_due(const struct task *t);

/* The first of the set that is there for the task, 0 when none is; it is taken away if told so. */
int signals_first(struct task *t, uint64_t set, siginfo_t *taken);

/* The caller takes the signal: its handler runs. True when calls go on after it. */
bool signals_take(int signal);

/* The caller takes all that it does not block, before it goes on. */
void signals_take_all(void);

/* All that wait to be taken by the task. */
uint64_t signals_pending(const struct task *t);

/* A fault: runs the program's handler for it, if there is one. */
bool signals_handle_fault(int signal, siginfo_t *info, void *context);

/* Sets as numbers: bit n-1 is signal n. */
uint64_t signals_of(const sigset_t *set);
void signals_to(uint64_t numbers, sigset_t *set);

#endif
