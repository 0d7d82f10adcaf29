/* The kind of a file that a verb was given in place of another, for messages.
 *
 *     if (finding_file_parse(&f, &in, e) < 0) {
 *         return file_kind_refuse(path, "a findings file", e);
 *     }
 */
#ifndef CLEW_CLI_INPUT_FILE_KIND_H
#define CLEW_CLI_INPUT_FILE_KIND_H

#include "base/err.h"

/* Replaces the error of a reader by what the file is and what to run, where it is a schedule, a
 * trace, or a report for continuous integration; else puts the path before it. Always returns -1.
 */
int file_kind_refuse(const char *path, const char *expected, struct err *e);

#endif
