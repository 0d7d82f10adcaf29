/* Locks of files under control. The kernel keeps them and is asked without waiting.
 *
 *     flock, F_OFD_SETLK    of the open file description: tasks that opened the file for themselves
 *                           exclude each other
 *     F_SETLK, lockf        of the process: excludes other processes, and none of its own tasks. A
 *                           wait that would never end because the processes wait for each other is
 *                           refused (EDEADLK), as the kernel does
 *
 * A trace has the first as locks where one task alone uses a description and all take the same
 * range; else the call is named as uncontrolled. It has the second as orders between processes. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_DESCRIPTION_LOCK_H
#define CLEW_RUNTIME_CONTROL_MODEL_DESCRIPTION_LOCK_H

#include <fcntl.h>
#include <stdbool.h>

struct task;

/* Whether the command of fcntl is modelled here, and the call. */
bool file_lock_is_command(int command);
int file_lock_control(int fd, int command, struct flock *lock, const void *place);

/* Of a task that waits for a lock (WAIT_FILE_LOCK): whether it need not wait any more. */
bool file_lock_is_ready(struct task *t);
/* The same, asked of the kernel by the task's own process: sets is_there, blocker and holder. */
void file_lock_look(struct task *t);

/* The descriptor is about to be closed, and the locks that go with it. */
void file_lock_closes(int fd, const void *place);

#endif
