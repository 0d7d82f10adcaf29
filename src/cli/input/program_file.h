/* A program where a verb expects a system or a trace: clew explore ./server. */
#ifndef CLEW_CLI_INPUT_PROGRAM_FILE_H
#define CLEW_CLI_INPUT_PROGRAM_FILE_H

#include <stdbool.h>

#include "cli/session.h"

/* Whether the file is to be started, not loaded: an executable in ELF, with or without an
 * interpreter. */
bool program_file_is(const char *path);

/* The error of a verb that takes a program behind "--" and got it before, or that needs a trace of
 * it; MISUSED. */
int program_file_misused(const struct session *s, const char *path, struct err *e);

#endif
