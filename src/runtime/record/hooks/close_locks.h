/* Locks on files, as the hook of close sees them. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_CLOSE_LOCKS_H
#define CLEW_RUNTIME_RECORD_HOOKS_CLOSE_LOCKS_H

/* The descriptor is about to be closed, and with it go its locks. */
void lock_forget(int fd, const void *place);

/* The process has just been forked: its parent's locks are not its own. */
void lock_forget_all(void);

#endif
