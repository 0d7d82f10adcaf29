/* Tasks as the calls of the program need them (runtime/control/sched/run_control.h has the rest).
 */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_TASK_H
#define CLEW_RUNTIME_CONTROL_SCHED_TASK_H

#include "runtime/control/sched/run_control.h"

/* What a new task is to do; exactly one of run and run_c11 is set. */
struct creation {
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    const void *place;
};
int task_create(pthread_t *thread, const pthread_attr_t *attributes, const struct creation *c);

struct join {
    void **result;
    uint64_t deadline; /* 0: none */
    const void *place;
    bool is_try;
};
int task_join(struct task *t, const struct join *j);

/* The task of this run that has the handle; NULL when none has, or it was joined. */
struct task *task_of(pthread_t thread);

/* The first task of a process that the caller forks, which goes on where the caller is; and from
 * now on it may be chosen. */
void task_fork(uint32_t number, const struct process *p);
void task_enlist(uint32_t number, const void *place);
/* The process has become another program, by a call of this task: its first is its only one. */
void task_exec(uint32_t caller);
/* The number of the next one: "main.1". */
uint32_t task_number_forked(void);

/* The calling task ends with this result; cleanup handlers run first. */
_Noreturn void task_exit(void *result);

/* Runs the first task's function to its end, or to that of the process. */
_Noreturn void task_run_first(void *(*function)(void *));

/* Memory of the calling task's for so many bytes, until it asks again; NULL when there is none. */
void *task_scratch(size_t size);

#endif
