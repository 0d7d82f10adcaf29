/* Specifications as verbs are given them: files. */
#ifndef CLEW_CLI_INPUT_SPEC_FILE_H
#define CLEW_CLI_INPUT_SPEC_FILE_H

#include "base/err.h"
#include "spec/spec.h"

/* Reads the file at path ("-": standard input) into s, which must be fresh from spec_init. The
 * error names the path, with line and column. */
MUST_USE int spec_file_read(struct spec *s, const char *path, struct err *e);

#endif
