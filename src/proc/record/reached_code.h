/* Which code a recorded process has reached: the places that accessed memory, which its table of
 * sites holds (wire/segment.h), and each block of code where that was asked of the compiler
 * (-fsanitize-coverage=trace-pc). The table is a file, so that this is known of killed processes
 * too. */
#ifndef CLEW_PROC_RECORD_REACHED_CODE_H
#define CLEW_PROC_RECORD_REACHED_CODE_H

#include "proc/record/collector.h"

/* Appends a COVERAGE event for each source place that the source's process has reached, as an event
 * of its task, with the number of code places at that line. Nothing if the process's coverage is in
 * the trace already. */
MUST_USE int coverage_tell(struct collector *c, const struct source *s, struct err *e);

#endif
