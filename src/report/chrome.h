/* Chrome's trace events in JSON, which Perfetto (ui.perfetto.dev) and chrome://tracing open: a
 * process for each node, a thread for each task, a slice for each event, arrows for messages and
 * other orders between tasks, and an asynchronous slice for each section of a lock.
 * Format: "Trace Event Format", 2016. */
#ifndef CLEW_REPORT_CHROME_H
#define CLEW_REPORT_CHROME_H

#include "trace/format.h"

extern const struct format format_chrome;

#endif
