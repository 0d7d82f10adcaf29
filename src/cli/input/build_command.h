/* Builds a program with clew's compilers: the command of --build. */
#ifndef CLEW_CLI_INPUT_BUILD_COMMAND_H
#define CLEW_CLI_INPUT_BUILD_COMMAND_H

#include "base/err.h"

/* Runs the command in a shell with CC set to "clew cc" and CXX to "clew c++", this clew. Its output
 * goes to standard error. Fails when it does not end with status 0. */
MUST_USE int build_command_run(const char *command, struct err *e);

#endif
