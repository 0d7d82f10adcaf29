/* Checks the outputs of a command before it writes anything. */
#ifndef CLEW_CLI_TEXT_OUTPUT_CHECK_H
#define CLEW_CLI_TEXT_OUTPUT_CHECK_H

#include "cli/session.h"

/* Fails when an output of the session's verb is a file that the command line names otherwise too:
 * an input, its program, another option. `options` is the verb's struct. */
MUST_USE int outputs_check(const struct session *s, const void *options, struct err *e);

/* Whether both are one regular file, by whatever names, or will be once they are there. */
bool outputs_are_one(const char *a, const char *b);

/* Fails when the path cannot be written: a folder, a file without the right, or one in a folder
 * that is not there. "-" can. To be asked before long work. */
MUST_USE int output_check_writable(const char *path, struct err *e);

#endif
