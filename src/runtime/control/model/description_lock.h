/* Locks of open file descriptions (flock, F_OFD_SETLK) under control: they exclude other
 * descriptions, so that tasks which opened the file for themselves exclude each other. The kernel
 * keeps them and is asked without waiting, each time the task is chosen.
 *
 * A trace has them as locks where one task alone uses a description and all take the same range.
 * Else the call is named as uncontrolled. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_DESCRIPTION_LOCK_H
#define CLEW_RUNTIME_CONTROL_MODEL_DESCRIPTION_LOCK_H

#include <fcntl.h>
#include <stdbool.h>

/* F_OFD_SETLK, and F_OFD_SETLKW, which waits. As fcntl(2). */
int file_lock_set(int fd, bool is_waiting, struct flock *lock, const void *place);

/* The descriptor is about to be closed: with the last one of a description its lock goes. */
void file_lock_closes(int fd, const void *place);

#endif
