/* Schedules from files. */
#ifndef CLEW_CLI_INPUT_SCHEDULE_FILE_H
#define CLEW_CLI_INPUT_SCHEDULE_FILE_H

#include "trace/schedule.h"

/* For runs that are not as the schedule says: which files of the search may be missing, of those
 * that are NULL; "" where both are there. */
const char *schedule_hint(const char *spec, const char *config);

/* Reads the schedule at path into s, which is fresh from schedule_init. */
MUST_USE int schedule_file_read(struct schedule *s, const char *path, struct err *e);

#endif
