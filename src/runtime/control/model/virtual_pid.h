/* Process and thread ids of a controlled program: the same numbers in every run, although each run
 * may be another process.
 *
 *     the program asks           it is told        the kernel is asked about
 *     getpid()                   PID               the process of this run
 *     gettid() of task n         PID + n           the kernel's thread that runs task n
 *     getppid()                  PID - 1           whoever started the process
 *     getsid(0)                  PID - 2           the session of the process
 *     getpgrp()                  PID               the process group
 *     fork(), n-th of the run    PID + 1024 + n    the child
 *
 * The kernel knows none of these numbers, so every system call that takes or returns an id is
 * translated: libc makes most of them, and runtime/control/hooks/syscall_dispatch.h hands those
 * over too. Other ids, those of children among them, pass as they are. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_VIRTUAL_PID_H
#define CLEW_RUNTIME_CONTROL_MODEL_VIRTUAL_PID_H

#include <sys/types.h>

enum {
    PID_FIRST = 4242, /* of the first process */
    PID_PARENT = PID_FIRST - 1,
    PID_SESSION = PID_FIRST - 2,
    PID_FIRST_CHILD = PID_FIRST + 1024, /* beyond the ids of all tasks */
    PID_INIT = 1,                       /* the parent of those whose parent has ended */
};

/* The ids that the calling task is told during a run. */
pid_t pid_self(void);
pid_t pid_parent(void);
pid_t pid_task(void);

/* What the kernel calls the process, or the thread, that the program knows by this id. In a child
 * that a run forked, the ids of that run stand for the parent. */
pid_t pid_real(pid_t id);

/* The task of this run that the id is told to belong to is alive, or the id is the process's. */
int pid_is_virtual(pid_t id);

/* Makes a system call as sys_call does, with ids translated both ways. */
long pid_call(long number, const long *a);

/* Groups and sessions, which are the table's (sched/processes.h) and not the kernel's: as the
 * system calls of these names. */
long pid_get_group(pid_t id);
long pid_set_group(pid_t id, pid_t group);
long pid_get_session(pid_t id);
long pid_set_session(void);

/* The calling process is a child that a run has just forked, and is not controlled. */
void pid_leave(void);

#endif
