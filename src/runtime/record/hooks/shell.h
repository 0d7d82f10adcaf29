/* Commands for the shell (system, popen). */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_SHELL_H
#define CLEW_RUNTIME_RECORD_HOOKS_SHELL_H

#include <stdbool.h>
#include <stdio.h>

/* True for a stream that our popen has made and that is not closed yet. */
bool shell_is_stream(const FILE *file);

/* In a child that has just been forked: no thread of its own waits for a command. */
void shell_forked(void);

#endif
