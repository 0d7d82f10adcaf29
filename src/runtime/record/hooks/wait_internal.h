/* How the recorder itself waits for a child process on behalf of the program. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_WAIT_INTERNAL_H
#define CLEW_RUNTIME_RECORD_HOOKS_WAIT_INTERNAL_H

#include <sys/types.h>

/* waitpid(pid, status, 0), recorded as a wait that the program made at `place`. */
pid_t wait_recorded(pid_t pid, int *status, const void *place);

/* The process is about to end: its parent may wait for any of its children. */
void wait_ends(const void *place);

#endif
