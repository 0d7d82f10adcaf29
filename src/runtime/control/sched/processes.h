/* The processes of a controlled program: a table in the segment.
 *
 * At most one task of one process runs at a time. Inside a process the turn goes from fiber to
 * fiber; between processes it goes through a word of the process that gets it, `go`:
 *
 *     A: go of B := task main.1, futex wake; A sleeps on its own go
 *     B: wakes, switches to the fiber of main.1, runs
 *
 * (Where tasks are threads, each task has such a word: task.turn.)
 *
 * Whoever has the turn chooses the next task of all processes, so it has to know which of them can
 * go on. Two things are not in the segment: locks, which lie in the program's memory, and
 * descriptors, which the kernel has.
 *
 *     locks         Before a process gives the turn away, it publishes for each task that waits for
 *                   a lock which it can see, whether the lock is free (task.is_there). No other
 *                   process can change a lock that it cannot see, so what it reads is right.
 *     descriptors   A process of which a task waits for descriptors gets the turn for a moment: it
 *                   looks, answers, and gives the turn back without choosing. It is asked again
 *                   only after a step that may have changed a descriptor (run_state.io_stamp).
 *
 * A process is known by the path of its first task: main.1 is the first process that task main
 * forks, main.1/2 the second thread there. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_PROCESSES_H
#define CLEW_RUNTIME_CONTROL_SCHED_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct task;
struct timer;

enum { PROCESSES_MAX = 128 };

enum process_state {
    PROCESS_FREE,
    PROCESS_LIVE,
    PROCESS_ZOMBIE, /* ended; its parent has not waited for it */
    PROCESS_GONE,   /* ended, and waited for */
};

struct process {
    _Atomic uint32_t go; /* enum go, or the number of the task that is to run, plus GO_TASK */
    enum process_state state;
    uint32_t number;            /* its place in the table */
    uint32_t parent;            /* number; UINT32_MAX: it has ended, or is not controlled */
    uint32_t first;             /* number of its first task */
    uint32_t live_count;        /* of its tasks, those that live, ... */
    uint32_t unjoined_count;    /* ... and those that ended and that nobody has joined */
    int32_t id, group, session; /* as the program knows them */
    int32_t real;               /* as the kernel does */
    int32_t status;             /* as wait() tells it, once it has ended */
    uint32_t node;              /* of a cluster, from 1; 0: none */
    uint32_t caller;            /* of exec: the task */
    uint32_t image_count;       /* programs that it has become */
    int32_t spawn_error;        /* posix_spawn(): what went wrong in the child */
    bool maps_shared;           /* it has mapped memory that other processes may share */
};

/* This process; where nothing is controlled, one of its own. */
extern struct process *process_self;

/* A run begins: the caller is its only process. */
void process_begin(void);

struct process *process_of(const struct task *t);
/* The process that the program knows by this id, zombies included; NULL: there is none. */
struct process *process_known_as(pid_t id);
/* The process that the kernel knows by this id, whether it lives or has ended; NULL: there is none.
 */
struct process *process_with_real(pid_t real);

/* fork(): the first half, in the parent, right before the kernel makes the child: a place in the
 * table and a task for it, which is no one's turn yet. NULL when there are too many. */
struct process *process_prepare(uint32_t task);
/* The second half. In the parent: the kernel calls the child so, and it may be chosen from now on;
 * a negative number: there is no child. In the child: returns at its first turn. */
void process_made(struct process *p, pid_t real, const void *place);
void process_adopt(struct process *p);

/* The turn goes to a task of another process; returns the task of this one that has it next. Where
 * the caller's process has ended, or its task is a thread that has ended, returns at once. */
struct task *process_hand_over(struct task *from, struct task *to, bool comes_back);
/* Where tasks are threads of this process: the task may run; waits until it may. */
void process_wake(struct task *t);
void process_wait_turn(struct task *t);

/* Asks the task's process whether what its tasks wait for is ready: sets task.is_there. */
void process_look(const struct task *t);
/* Has the process that holds the timer's descriptor write to it. */
void process_fire(struct timer *timer);
/* Ends another process, as a signal that cannot be caught does. */
void process_kill(struct process *p, int signal);

/* The calling task is about to have its process become another program; and the caller is that
 * program, which has the turn. */
void process_exec_begins(void);
void process_exec(void);
/* Whether the process of this id has become another program, or has ended. */
bool process_has_image(pid_t id);
/* Takes the tasks of the process off the list of those that live. */
void process_end_tasks(const struct process *p);

/* The calling process ends; status as wait() tells it. The run goes on while others live. */
_Noreturn void process_finish(int status);

/* All processes have ended, or can do nothing any more: the run ends as the first process did. */
_Noreturn void process_end_run(void);
/* The run is over: all others end. The one that the server of runs waits for is the last. */
void process_end_others(void);
void process_end_first(void);

/* Children. The first of the process that has ended and is meant by the id, as waitpid() takes it;
 * `has_any`: whether there is any child that is meant. */
struct process *process_ended_child(const struct process *parent, pid_t id, bool *has_any);
/* Whether the task, which waits for a child (WAIT_CHILD), need not wait any more. */
bool process_has_child_event(const struct task *t);
/* The parent has waited for it. */
void process_reap(struct process *child);

#endif
