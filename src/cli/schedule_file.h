/* Schedules from files. */
#ifndef CLEW_CLI_SCHEDULE_FILE_H
#define CLEW_CLI_SCHEDULE_FILE_H

#include "trace/schedule.h"

/* Reads the schedule at path into s, which is fresh from schedule_init. */
MUST_USE int schedule_file_read(struct schedule *s, const char *path, struct err *e);

#endif
