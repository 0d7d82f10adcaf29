/* Paths that a controlled program gives to the kernel.
 *
 * A path below /proc names processes by the ids that the program is told
 * (runtime/control/model/virtual_pid.h), which the kernel does not know: "/proc/4242/status"
 * becomes "/proc/self/status".
 *
 * Below the directory that clew was started in, each run has a private view of the files
 * (proc/control/private_files.h). clew says where a path leads when the call changes something, and
 * once something was changed for every path; a run that only reads asks nothing. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_PROC_PATHS_H
#define CLEW_RUNTIME_CONTROL_MODEL_PROC_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/control.h"

/* Before main. */
void path_start(void);

/* A path that is no argument of a call but part of an address, as the kernel has it: in `to`, or
 * the path itself. */
const char *path_translate(const char *path, enum control_path_use use, char to[CONTROL_PATH_MAX]);

/* The caller is about to make the system call: a step on what its paths name. Whether it has any.
 */
bool path_touch(long number, const long *a, const void *place);

/* Makes a system call as pid_call does, with the paths among its arguments translated. */
long path_call(long number, const long *a);

/* A path of the kernel's as the program knows it, where files are private: its length. */
size_t path_as_known(char *path, size_t size, size_t room);

#endif
