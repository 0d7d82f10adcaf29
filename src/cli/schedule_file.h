/* Schedules from files. */
#ifndef CLEW_CLI_SCHEDULE_FILE_H
#define CLEW_CLI_SCHEDULE_FILE_H

#include "trace/schedule.h"

/* For runs that are not as the schedule says. */
#define SCHEDULE_HINT "a search with --spec or --config is replayed with them"

/* Reads the schedule at path into s, which is fresh from schedule_init. */
MUST_USE int schedule_file_read(struct schedule *s, const char *path, struct err *e);

#endif
