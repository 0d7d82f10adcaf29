/* Which code a recorded process has reached: the places that accessed memory, which its table of
 * sites holds (wire/segment.h), and each block of code where that was asked of the compiler
 * (-fsanitize-coverage=trace-pc). The table is a file, so that this is known of killed processes
 * too. */
#ifndef CLEW_PROC_RECORD_REACHED_CODE_H
#define CLEW_PROC_RECORD_REACHED_CODE_H

#include "proc/record/collector.h"

/* Appends an event for each source place that the source's process has reached, as its task's, with
 * how many places in the code that were; nothing if that has been told. */
MUST_USE int coverage_tell(struct collector *c, const struct source *s, struct err *e);

#endif
