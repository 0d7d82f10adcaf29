/* Fuzz files as verbs are given them (--config). */
#ifndef CLEW_CLI_INPUT_FUZZ_OPTION_H
#define CLEW_CLI_INPUT_FUZZ_OPTION_H

#include "base/err.h"
#include "world/fuzz.h"

/* Reads the file at path ("-": standard input) into f, which must be {0}. The error names the path,
 * with line and column. */
MUST_USE int fuzz_file_read(struct fuzz *f, const char *path, struct err *e);

#endif
